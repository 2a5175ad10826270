"""What a service is told when it starts."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from thalweg.service.limits import Limits
from thalweg.service.rates import Rates
from thalweg.service.tokens import Tokens


@dataclass(slots=True)
class Settings:
    """Settings of a service.

    Attributes
    ----------
    limits : Limits
        How much a client may ask for.
    tokens : Tokens or None
        Who may ask; None for everybody who reaches the port.
    admin : bool
        Whether models may be replaced and ids erased by HTTP.
    access_log : bool
        Whether each request is a line of the log.
    alert_url : str or None
        Where alerts are posted as JSON.
    alert_log : bool
        Whether alerts are lines of the log.
    alert_silence : float or None
        Seconds without a label after which that is an alert; None for three times the longest silence seen.
    allowed_hosts : sequence of str
        Names in the Host of a request besides addresses and localhost. An application that embeds the service
        gives its own names, or ("*",) if it checks them itself.
    allowed_origins : sequence of str
        Origins, such as "https://orders.example.org", besides that of the Host; ("*",) for all.
    trusted_proxies : sequence of str
        Addresses and networks whose X-Forwarded-For says who the client is.
    """

    limits: Limits = field(default_factory=Limits)
    tokens: Tokens | None = None
    admin: bool = False
    access_log: bool = False
    alert_url: str | None = None
    alert_log: bool = False
    alert_silence: float | None = None
    allowed_hosts: Sequence[str] = ()
    allowed_origins: Sequence[str] = ()
    trusted_proxies: Sequence[str] = ()
    rates: Rates | None = None

    def __post_init__(self) -> None:
        if self.rates is None and self.limits.rate is not None:
            self.rates = Rates(self.limits.rate)
