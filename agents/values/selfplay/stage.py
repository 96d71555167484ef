"""Self-play: the network plays at all tables and learns from what became of the rounds.

While `critic_decisions` last, only the critic learns: as long as it knows nothing, advantages are mostly chance.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from agents.checkpoint import count_of, part_of
from agents.learner_protocol import Collected
from agents.ppo.generators import TORCH_GENERATOR, set_shuffler, set_torch_generator
from agents.ppo.maskable_ppo import assemble, buffer_of
from agents.ppo.ppo_stages import timed
from agents.ppo.sb3_private import roll_out, update
from agents.ppo.table_vec_env import PREFIX
from agents.values.saving import load_arrays, save_arrays
from agents.values.selfplay.critic import learn_critic
from agents.values.selfplay.opponents import Opponents
from agents.values.selfplay.policy import CandidatePolicy
from agents.values.selfplay.vec_env import PlaysVecEnv
from agents.values.value_config import ValuesConfig
from agents.values.value_network import ValueNetwork
from shengji_env.engine.rule_sets import parse_rules
from shengji_env.envs.plays import PlayBatchEnv
from shengji_env.errors import CheckpointError, PlayerError
from shengji_env.players.decisions import num_plays
from shengji_env.players.networks.champion.compiled_network import Weights, check_weights

METRICS = ("entropy", "approx_kl", "explained_variance")
"""The metrics of an update that are shown."""
_SCALE = "input_scale"
_EARLIER = "earlier/"
_CALIBRATION_STEPS = 32


class SelfPlay:
    """Tables, MaskablePPO and opponents; it begins with the weights of ``network``, which stays as it is.

    Attributes:
        decisions: Decisions of the network so far.
        env: The tables.
    """

    def __init__(self, config: ValuesConfig, network: ValueNetwork) -> None:
        self.config, self.decisions = config, 0
        play = config.selfplay
        self._opponents = Opponents(play, network.export())
        rules = parse_rules(config.environment.rules)
        tables = PlayBatchEnv(
            play.tables,
            rules,
            start="any",
            seed=config.run.seed,
            skip_forced=True,
            history=num_plays(rules) if self._opponents.need_plays else 0,
        )
        self.env = PlaysVecEnv(tables, self._opponents, is_smooth=play.reward == "smooth")
        policy = {
            "net_arch": {"pi": [], "vf": list(play.critic)},
            "widths": config.network.widths,
            "temperature": play.temperature,
        }
        self._ppo = assemble(CandidatePolicy, policy, self.env, play, seed=config.run.seed, gamma=1.0)
        self.policy.network.load_state_dict(network.state_dict())
        self._calibrate()

    @property
    def policy(self) -> CandidatePolicy:
        """The policy and the critic."""
        assert isinstance(self._ppo.policy, CandidatePolicy)
        return self._ppo.policy

    def weights(self) -> Weights:
        """Return the network's weights, as they are exported."""
        return self.policy.network.export()

    def collect(self, done: float, check: Callable[[], None]) -> Collected:
        """Play `rollout_steps` decisions at every table; ``done`` is the part of the budget that is used up.

        If ``check`` ends it, the tables are as they were before.
        """
        tables, generator = self.env.save(), torch.get_rng_state()
        try:
            return timed(self._ppo, self.env, lambda: roll_out(self._ppo, self.env, done=done, check=check))
        except BaseException:
            self.env.load(tables)
            torch.set_rng_state(generator)
            raise

    def update(self) -> dict[str, float]:
        """Learn from what was collected."""
        play = self.config.selfplay
        is_warming_up = self.decisions < play.critic_decisions
        metrics = learn_critic(self._ppo, play) if is_warming_up else update(self._ppo)
        before, self.decisions = self.decisions, self.decisions + buffer_of(self._ppo).actions.size
        if before // play.earlier_every < self.decisions // play.earlier_every:
            self._opponents.keep(self.weights())
        return metrics

    def save(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return plain values and arrays from which `load` restores everything that changes."""
        meta = {"decisions": self.decisions, "shuffler": buffer_of(self._ppo).generator.bit_generator.state}
        arrays = {
            **save_arrays(self.policy, self.policy.optimizer),
            **self.env.save(),
            _SCALE: self.policy.mlp_extractor.input_scale.numpy().copy(),
            TORCH_GENERATOR: torch.get_rng_state().numpy(),
        }
        for index, weights in enumerate(self._opponents.earlier):
            arrays |= {f"{_EARLIER}{index}/{name}": array for name, array in weights.items()}
        return meta, arrays

    def load(self, meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restore what `save` returned.

        Raises:
            CheckpointError: `save` could not have returned a part of it.
            ShengjiError: The tables could not have come to their state.
        """
        left = dict(arrays)
        self.decisions = count_of(meta, "decisions")
        set_shuffler(buffer_of(self._ppo).generator.bit_generator, part_of(meta, "shuffler", dict))
        self.env.load({name: left.pop(name) for name in arrays if name.startswith(PREFIX)})
        self._opponents.earlier = _earlier_from({name: left.pop(name) for name in arrays if name.startswith(_EARLIER)})
        torch_state, scale = left.pop(TORCH_GENERATOR, None), left.pop(_SCALE, None)
        own = self.policy.mlp_extractor.input_scale
        if (
            scale is None
            or scale.shape != tuple(own.shape)
            or scale.dtype != np.float32
            or not np.isfinite(scale).all()
        ):
            raise CheckpointError(f"its {_SCALE} is missing or no scale of {len(own)} inputs")
        own.copy_(torch.from_numpy(scale))
        load_arrays(self.policy, self.policy.optimizer, left)
        set_torch_generator(torch_state)

    def _calibrate(self) -> None:
        """Measure the scale of the critic's inputs; then all tables deal."""
        seen = [np.array(self.env.reset())]
        for _ in range(_CALIBRATION_STEPS):
            observation, *_ = self.env.step(np.zeros(self.env.num_envs, np.int64))
            seen.append(np.array(observation))
        self.policy.mlp_extractor.calibrate(torch.from_numpy(np.concatenate(seen)))
        self.env.reset()


def _earlier_from(arrays: Mapping[str, NDArray[Any]]) -> list[Weights]:
    """Return the earlier networks that `SelfPlay.save` wrote."""
    found: dict[int, dict[str, NDArray[np.float32]]] = {}
    try:
        for path, array in arrays.items():
            index, _, name = path.removeprefix(_EARLIER).partition("/")
            found.setdefault(int(index), {})[name] = array
        if sorted(found) != list(range(len(found))) or not found:
            raise ValueError("numbers are missing")
        for weights in found.values():
            check_weights(weights)
    except (ValueError, PlayerError) as error:
        raise CheckpointError(f"its earlier networks are damaged: {error}") from error
    return [found[index] for index in range(len(found))]
