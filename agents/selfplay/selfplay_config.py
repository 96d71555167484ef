"""The keys of a run that learns by self-play, besides those of every run (`agents.run_config`)."""

from dataclasses import dataclass
from typing import Any

from agents.run_config import DRAWN_RULES, FRESH, OWN_RULES, Config
from shengji_env.datasets.selfplay.label_blocks import ITSELF
from shengji_env.engine.drawn_rules import DRAWING_VERSION
from shengji_env.errors import ConfigError
from shengji_env.players.candidates import CANDIDATES_VERSION
from shengji_env.players.networks.network_file import MAX_LAYER
from shengji_env.players.networks.selfplay.choices import PROPOSALS, WIDE
from shengji_env.players.networks.selfplay.integer_rows import LANES
from shengji_env.players.networks.selfplay.selfplay_inputs import SELFPLAY_INPUTS_VERSION
from shengji_env.players.networks.selfplay.selfplay_network import SHAPE_RULE, NetworkShape, is_shape
from shengji_env.support.settings import between, one_of, settled

NO, LOCAL, AUTO = "no", "local", "auto"


@dataclass(frozen=True)
class SelfplayTable:
    """[selfplay]: rounds of the policy with itself, and their labels."""

    rules: str = settled(one_of(OWN_RULES, OWN_RULES, DRAWN_RULES))
    """The rules of the rounds: own, the environment's; drawn, for networks that play all rules: every 25 rounds have
    rules of their own, presets and combinations. Strength is measured under the environment's."""
    proposals: str = settled(one_of(WIDE, *PROPOSALS))
    """Who proposes leads, follows and burials: wide, sets of cards by shapes and prices; program, the package's
    candidates."""
    opponent: str = settled(ITSELF)
    """Who has the seats of one team, each in every other round: itself, the policy, so that it has all seats; or any
    player with a policy, which does not learn, so that a best response to it is learned."""
    rounds: int = between(250_000, 1, 10**9)
    """Rounds of the whole run; more may be asked of a run that is resumed."""
    rounds_at_once: int = settled(between(1500, 1, 10**6))
    """Rounds between two states of the policy."""
    most_choices: int = settled(between(4, 2, 16))
    """Choices of a decision that are played out at most."""
    temperature: float = settled(between(0.15, 0, 100))
    """Decisions are drawn by softmax(value / temperature), in levels: in a third of the rounds with this temperature,
    in a third with a third of it; in the others the best choice is made."""
    pick_temperature: float = settled(between(0.1, 0, 100))
    """Temperature of the softmax that draws which choices are played out, if there are more than most_choices."""
    bury_share: float = settled(between(1.0, 0, 1))
    """Share of burials that are labelled."""
    lead_share: float = settled(between(0.3, 0, 1))
    """Share of leads that are labelled."""
    one_share: float = settled(between(0.2, 0, 1))
    """Share of follows of one card that are labelled."""
    many_share: float = settled(between(0.5, 0, 1))
    """Share of follows of several cards that are labelled."""
    action_share: float = settled(between(0.1, 0, 1))
    """Share of bids, names, forced components and rebellions that are labelled."""
    threads: int = between(0, 0, 1024)
    """Threads that make labels; 0: one for each core. What they make does not depend on it."""
    ray: str = one_of(NO, NO, LOCAL, AUTO)
    """Whether Ray makes labels instead, the same ones: local, one that is started here; auto, the cluster that is
    running here or that RAY_ADDRESS names."""

    @property
    def draws_rules(self) -> bool:
        """Whether the rules are drawn."""
        return self.rules == DRAWN_RULES

    @property
    def shares(self) -> tuple[float, ...]:
        """The shares in the order of the kinds of decisions."""
        return self.bury_share, self.lead_share, self.one_share, self.many_share, self.action_share

    @property
    def temperatures(self) -> tuple[float, ...]:
        """The temperatures of which each round has one."""
        return 0.0, self.temperature / 3, self.temperature


@dataclass(frozen=True)
class NetworkTable:
    """[network]: how wide the policy's layers are, in multiples of 32, and what it reads."""

    units: int = settled(between(128, LANES, MAX_LAYER))
    """Hidden units of a choice."""
    suit: int = settled(between(0, 0, MAX_LAYER))
    """Units of an encoder of suits, whose encodings go into the hidden units; 0: there is none."""
    last: int = settled(between(0, 0, MAX_LAYER))
    """Units of a second layer, beside the product of the hidden units; 0: there is none."""
    chances: int = settled(between(0, 0, 1))
    """1: leads and follows read how likely others are to beat them, by counting cards."""
    playouts: int = settled(between(0, 0, MAX_LAYER))
    """Hidden units of a second network, without an encoder and a second layer, which learns beside the first and plays
    the playouts of labels; 0: the first one plays them."""
    start: str = settled(FRESH)
    """What it starts from: "fresh" (random weights), or "champion" or "selfplay:PATH", of the same widths."""

    @property
    def shape(self) -> NetworkShape:
        """All widths."""
        return NetworkShape(self.units, self.suit, self.last, self.chances)

    @property
    def playout_shape(self) -> NetworkShape:
        """All widths of the playout policy's network."""
        return NetworkShape(self.playouts, chances=self.chances) if self.playouts else self.shape


@dataclass(frozen=True)
class FittingTable:
    """[fitting]: regression on the labels."""

    uses: int = settled(between(1, 1, 100))
    """Generations of labels that are learned from at once, so that each is used so often."""

    minibatch: int = settled(between(1024, 1, 2**20))
    """Decisions in one gradient step."""
    learning_rate: float = between(4e-3, 1e-7, 1)
    """Adam's step size at first; it falls linearly."""
    final_share: float = between(0.05, 0, 1)
    """The part of the step size that is left in the end."""
    horizon: float = settled(between(200.0, 1))
    """Gradient steps over which the mean of weights is taken, which plays."""
    torch_threads: int = between(1, 0, 1024)
    """Threads of torch; 0: one for each core."""


@dataclass(frozen=True)
class CriticTable:
    """[critic]: a network that sees all hands, and says in labels how rounds would end."""

    share: float = settled(between(0.1, 0, 1))
    """Share of the decisions whose choices are played to the end of the round, from which it learns; 1: all are, and
    there is none."""
    rounds: int = settled(between(25_000, 0, 10**9))
    """The first rounds, of which all decisions are, before it is asked."""
    tricks: int = settled(between(3, 1, 100))
    """Tricks that the policy plays in the others; the critic is asked after each."""
    suit: int = settled(between(96, 1, 4096))
    """Width of its encoder of a suit."""
    hidden: int = settled(between(192, 1, 4096))
    """Width of its layer of the whole."""
    minibatch: int = settled(between(256, 1, 2**20))
    """Decisions in one gradient step."""
    learning_rate: float = between(2e-3, 1e-7, 1)
    """Adam's step size at first; it falls linearly in each stage."""

    @property
    def learns(self) -> bool:
        """Whether there is one."""
        return self.share < 1


@dataclass(frozen=True)
class SelfplayConfig(Config):
    """The tables of a run that learns by self-play."""

    selfplay: SelfplayTable = SelfplayTable()
    network: NetworkTable = NetworkTable()
    fitting: FittingTable = FittingTable()
    critic: CriticTable = CriticTable()

    def check(self) -> None:
        """Check the texts, and that layers are as wide as networks can be.

        Raises:
            ConfigError: A value is impossible.
        """
        super().check()
        if self.selfplay.opponent != ITSELF and self.critic.learns:
            raise ConfigError("selfplay.opponent needs critic.share = 1: a critic does not know who plays for whom")
        for shape in (self.network.shape, self.network.playout_shape):
            if not is_shape(shape):
                raise ConfigError(f"[network] has {shape}: it must have {SHAPE_RULE}")

    @property
    def reads_rules(self) -> bool:
        """Whether the network reads rows of the rules: under one rule set only if it starts as one that does."""
        return self.selfplay.draws_rules or self.network.start != FRESH

    def compatibility(self) -> dict[str, Any]:
        """Return the versions of what the network reads and chooses among."""
        versions = {"selfplay_inputs": SELFPLAY_INPUTS_VERSION, "candidates_version": CANDIDATES_VERSION}
        if self.selfplay.draws_rules:
            versions["drawing"] = DRAWING_VERSION
        return versions
