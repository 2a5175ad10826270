"""IBoost: boosting kept up to date on a window of rows."""

from thalweg._parameters import count, one_of, real_number, whole_number
from thalweg.learners.window_boost import MOST_ROWS, WindowBoost

UPDATES = {"stochastic": 0, "batch": 1, "implicit": 2, "coordinate": 3, "none": 4}
RATES = {"stochastic": 0.05, "implicit": 1.0, "coordinate": 0.1, "none": 1.0}
ADDING = {"errors": 0, "always": 1, "until_full": 2}
REMOVING = {"lightest": 0, "oldest": 1, "worst": 2}
MOST_CAP = 1e6
AUTO_CAPS = [0.0, 10.0, 3.0, 1.0]


class IBoost(WindowBoost):
    """IBoost."""

    def __init__(
        self,
        member=None,
        n_members=200,
        window=200,
        period=1,
        update="stochastic",
        n_updates=None,
        rate=None,
        cap=None,
        add="errors",
        remove="lightest",
        max_window=2000,
        delta=0.002,
        random_state=1,
    ):
        self.member = member
        self.n_members = n_members
        self.window = window
        self.period = period
        self.update = update
        self.n_updates = n_updates
        self.rate = rate
        self.cap = cap
        self.add = add
        self.remove = remove
        self.max_window = max_window
        self.delta = delta
        self.random_state = random_state

    @property
    def cap_(self):
        """The bound on the sum of the weights in force, None if there is none."""
        self._check_begun()
        with self._lock.read:
            if self.cap == "auto":
                return AUTO_CAPS[self._kernel.leader] or None
            return self.cap

    def _settings(self):
        update = one_of(self, "update", self.update, UPDATES)
        few = update in ("implicit", "coordinate")
        n_updates = (1 if few else 5) if self.n_updates is None else count(self, "n_updates", self.n_updates, 1)
        settings = (
            count(self, "period", self.period, 1),
            False,
            ADDING[one_of(self, "add", self.add, ADDING)],
            REMOVING[one_of(self, "remove", self.remove, REMOVING)],
            UPDATES[update],
            self._rate(update),
            n_updates,
        )
        if not isinstance(self.window, str):
            return whole_number(self, "window", self.window, 2, MOST_ROWS), settings, self._caps(), 0.0
        one_of(self, "window", self.window, ("adwin",))
        room = whole_number(self, "max_window", self.max_window, 2, MOST_ROWS)
        return room, settings, self._caps(), real_number(self, "delta", self.delta, above=0, below=1)

    def _rate(self, update):
        if self.rate is not None:
            return real_number(self, "rate", self.rate, above=0, most=1)
        return 1.0 / self.n_members if update == "batch" else RATES[update]

    def _caps(self):
        # As the kernel has them: 0 for none.
        if self.cap is None:
            return [0.0]
        if isinstance(self.cap, str):
            one_of(self, "cap", self.cap, ("auto",))
            return AUTO_CAPS
        return [real_number(self, "cap", self.cap, above=0, most=MOST_CAP)]
