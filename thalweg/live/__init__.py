"""Durable models: predictions, late labels and learning as events that survive a crash."""

from typing import TYPE_CHECKING

from thalweg._registry import Registry

registry = Registry(__name__)
__all__ = registry.public()

if TYPE_CHECKING:
    from thalweg.live.alerts import AlertRules as AlertRules
    from thalweg.live.alerts import Alerts as Alerts
    from thalweg.live.client.answers import Outcome as Outcome
    from thalweg.live.client.answers import Prediction as Prediction
    from thalweg.live.client.client import AsyncClient as AsyncClient
    from thalweg.live.client.client import Client as Client
    from thalweg.live.client.errors import NotAllowed as NotAllowed
    from thalweg.live.client.errors import OtherLabel as OtherLabel
    from thalweg.live.client.errors import ServiceBusy as ServiceBusy
    from thalweg.live.client.errors import ServiceError as ServiceError
    from thalweg.live.client.errors import ServiceUnreachable as ServiceUnreachable
    from thalweg.live.client.errors import UnknownId as UnknownId
    from thalweg.live.client.errors import UnknownLabel as UnknownLabel
    from thalweg.live.consuming import Consumed as Consumed
    from thalweg.live.consuming import consume as consume
    from thalweg.live.errors import CommitFailed as CommitFailed
    from thalweg.live.errors import FolderInUse as FolderInUse
    from thalweg.live.errors import LiveError as LiveError
    from thalweg.live.errors import LiveStopped as LiveStopped
    from thalweg.live.errors import LogDamaged as LogDamaged
    from thalweg.live.errors import OtherVersion as OtherVersion
    from thalweg.live.errors import QueueFull as QueueFull
    from thalweg.live.errors import ReadOnly as ReadOnly
    from thalweg.live.errors import Recovering as Recovering
    from thalweg.live.errors import RowError as RowError
    from thalweg.live.follower import LiveFollower as LiveFollower
    from thalweg.live.live_model import LiveModel as LiveModel
    from thalweg.live.requests import LabelRequest as LabelRequest
    from thalweg.live.requests import LearnRequest as LearnRequest
    from thalweg.live.requests import Outcomes as Outcomes
    from thalweg.live.requests import Predictions as Predictions
    from thalweg.live.requests import PredictRequest as PredictRequest
    from thalweg.live.watch.live_watch import LiveWatch as LiveWatch
else:
    __getattr__ = registry.load
__dir__ = registry.public
