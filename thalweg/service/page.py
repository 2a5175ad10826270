"""The live page of a service at `/`, and the events that renew it."""

from thalweg.service.live_page import routes as routes
