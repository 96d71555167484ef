"""The vector environment of one seat: what single environments answer, table by table; Gymnasium's wrappers; misuse."""

import copy
import itertools
import pickle
import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Dict
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.wrappers.vector import DictInfoToList, NormalizeObservation, NormalizeReward, RecordEpisodeStatistics

import shengji_env
from shengji_env.arena import make_player
from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.rule_sets import rule_set
from shengji_env.envs.seat import SeatEnv, SeatVectorEnv, undecided
from shengji_env.errors import DealError, IllegalActionError, PlayerError, RenderModeError, ShengjiError
from shengji_env.players import as_player
from shengji_env.players.greedy import GreedyPlayer
from shengji_env.players.human import HumanPlayer
from shengji_env.players.networks.policy import LayerStack, PolicyPlayer
from shengji_env.players.player import Adapter, Player
from shengji_env.render.picture.raster import can_rasterise
from shengji_env.support.announcing import PARTS
from shengji_env.tables.observation import OBSERVATION_SIZE

RANDOM = make_player("random")
MODES = list(AutoresetMode)
SIZE = 5
KINDS = [
    {},
    {"seat": None, "rules": "one_deck", "skip_forced": True, "start": "first"},
    {"seat": 2, "rules": "one_deck_45", "reward": "points", "shaping": "trick_points", "dtype": "float32"},
    {"rules": "two_deck(throw_penalty=10)", "shaping": "trick_points", "dict_observation": True},
    {"rules": "one_deck", "history": 3, "dtype": "int16", "opponents": ["random", "greedy", "random"]},
    {"rules": "one_deck(match_end=rounds, match_rounds=2)", "episode": "match", "seat": 1},
    {"rules": "small_two_ranks", "skip_forced": True, "seat": None},
    {"rules": "small_four_ranks(match_end=rounds, match_rounds=1)", "episode": "match", "skip_forced": True},
]


def assert_same(one, other):
    """Observations, infos and whatever they contain are equal, in type too."""
    assert type(one) is type(other)
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for name in one:
            assert_same(one[name], other[name])
    elif isinstance(one, tuple):
        for each, its in zip(one, other, strict=True):
            assert_same(each, its)
    elif isinstance(one, np.ndarray):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        if one.dtype == object:
            assert_same(tuple(one), tuple(other))
        else:
            assert one.tobytes() == other.tobytes()
    else:
        assert one == other


def choose(rng, masks, step):
    """Legal actions, in every fourth step any of the space; where an episode is over, 0."""
    legal = (masks * rng.random(masks.shape)).argmax(1)
    return rng.integers(masks.shape[1], size=len(masks)) if step % 4 == 0 else legal


# ---- the same as single environments


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize("options", KINDS, ids=str)
def test_it_answers_what_single_environments_answer(options, mode):
    options = {"opponents": "random", **options}
    single = SyncVectorEnv([lambda: SeatEnv(**options)] * SIZE, autoreset_mode=mode)
    many = SeatVectorEnv(SIZE, autoreset_mode=mode, **options)
    assert many.observation_space == single.observation_space
    assert many.action_space == single.action_space
    assert many.metadata["autoreset_mode"] == single.metadata["autoreset_mode"] == mode
    rng, ends = np.random.default_rng(1), 0
    answers = [env.reset(seed=2**64 - SIZE) for env in (single, many)]
    assert_same(*answers)
    over = np.zeros(SIZE, np.bool_)
    for step in range(260):
        if mode == AutoresetMode.DISABLED and over.any():
            (seen, infos), (same, known) = (env.reset(options={"reset_mask": over}) for env in (single, many))
            assert_same(seen, same)
            assert (infos["_action_mask"] == known["_action_mask"]).all()
            assert_same({name: infos[name][over] for name in infos}, {name: known[name][over] for name in known})
            masks = known["action_mask"]
        else:
            masks = answers[1][-1]["action_mask"]
        actions = choose(rng, masks, step)
        answers = [env.step(actions) for env in (single, many)]
        assert_same(*answers)
        over = answers[1][2]
        ends += over.sum()
        assert many.observation_space.contains(answers[1][0])
    assert ends > 2 * SIZE


def test_seeds_may_be_one_for_each_table():
    seeds = [7, 2**63, None, 2**64 - 1, 7]
    single = SyncVectorEnv([lambda: SeatEnv(RANDOM)] * SIZE)
    many = SeatVectorEnv(SIZE, RANDOM)
    (expected, _), (seen, _) = single.reset(seed=seeds), many.reset(seed=seeds)
    seeded = [row for row in range(SIZE) if seeds[row] is not None]
    assert seen[seeded].tobytes() == expected[seeded].tobytes()
    assert (seen[0] == seen[4]).all()
    before = seen.copy()
    again, _ = many.reset(seed=seeds)
    assert again[seeded].tobytes() == before[seeded].tobytes()
    assert again[2].tobytes() != before[2].tobytes()


def test_without_seeds_every_table_draws_its_own():
    first, second = SeatVectorEnv(8, RANDOM), SeatVectorEnv(8, RANDOM)
    rounds = {env.states["deal"][row].tobytes() for env in (first, second) if env.reset() for row in range(8)}
    assert len(rounds) == 16


def test_options_of_reset_hold_at_every_table_that_begins():
    options = {"levels": ["9", "K"], "declarer": 3}
    single = SyncVectorEnv([lambda: SeatEnv(RANDOM)] * SIZE)
    many = SeatVectorEnv(SIZE, RANDOM)
    assert_same(single.reset(seed=3, options=dict(options)), many.reset(seed=3, options=options))
    mask = np.array([True, False, True, False, False])
    kept = many.states.copy()
    seen, infos = many.reset(seed=8, options={**options, "levels": ["2", "2"], "reset_mask": mask})
    assert (many.states["levels"] == np.where(mask[:, None], 0, kept["levels"])).all()
    assert all((many.states[row].tobytes() == kept[row].tobytes()) != mask[row] for row in range(SIZE))
    assert (infos["_action_mask"] == mask).all()
    assert (infos["action_mask"].astype(np.bool_) == many.action_masks()).all()
    assert seen.shape == (SIZE, 1400)


# ---- players that answer inside the step


class Asked(Player):
    """Another player, but asked in batches."""

    def __init__(self, player):
        self.player, self.name, self.needs = player, player.name, player.needs

    def decide(self, decisions):
        return self.player.decide(decisions)


def policy(activation, *hidden, sample=False):
    """Return a policy of layers with random weights."""
    draw = np.random.default_rng(5).standard_normal
    widths = [OBSERVATION_SIZE, *hidden, NUM_ACTIONS]
    layers = [
        (draw(shape).astype(np.float32) / np.float32(20), draw(shape[1]).astype(np.float32))
        for shape in itertools.pairwise(widths)
    ]
    return PolicyPlayer(LayerStack(tuple(layers), activation), {}, name="policy", sample=sample)


POLICIES = {
    "policy:relu": policy("relu", 24, 40, 16),
    "policy:tanh": policy("tanh", 32),
    "policy:drawn": policy("relu", sample=True),
}


@pytest.mark.parametrize(
    ("opponents", "inside"),
    [
        ("random", 3),
        ("greedy", 3),
        ("heuristic", 3),
        (["heuristic", "random", "greedy"], 3),
        (["greedy", None, "random"], 2),
        ("champion", 3),
        ("champion?part=playouts", 3),
        (["policy:relu", "policy:tanh", None], 2),
        (["policy:relu", "champion?part=playouts", "policy:drawn"], 2),
    ],
    ids=str,
)
@pytest.mark.parametrize("skip_forced", [False, True])
def test_players_inside_the_step_answer_as_when_they_are_asked(opponents, inside, skip_forced):
    names = [opponents] * 3 if isinstance(opponents, str) else opponents
    players = [POLICIES[name] if name in POLICIES else as_player(name or Adapter(RANDOM)) for name in names]
    rules = rule_set("one_deck")
    assert sum(player.policy(rules) is not None for player in players) == inside
    asked = [Asked(player) for player in players]
    assert all(player.policy(rules) is None for player in asked)
    settings = {"rules": rules, "shaping": "trick_points", "history": 2, "seat": None, "skip_forced": skip_forced}
    envs = [SeatVectorEnv(SIZE, some, **settings) for some in (players, asked)]
    singles = [SeatEnv(some, **settings) for some in (players, asked)]
    answers = [env.reset(seed=11) for env in envs]
    known = [env.reset(seed=11) for env in singles]
    for _ in range(60):
        assert_same(*answers)
        assert_same(*known)
        actions = envs[0].sample_actions()
        answers = [env.step(actions) for env in envs]
        action = known[0][-1]["action_mask"].argmax()
        known = [env.reset() if known[0][-1].get("result") else env.step(action) for env in singles]
    assert envs[0].states["round_index"].min() > 0


def test_subclasses_that_answer_otherwise_are_asked():
    class Contrary(GreedyPlayer):
        def act(self, observation, action_mask, key):
            return RANDOM.act(observation, action_mask, key)

    class Acting:
        act = Contrary.act

    class Mixed(Acting, GreedyPlayer):
        pass

    rules = rule_set()
    assert GreedyPlayer().policy(rules) is not None
    assert type("Same", (GreedyPlayer,), {})().policy(rules) is not None
    for other in (Contrary, Mixed, type("Other", (type(RANDOM),), {"act": Contrary.act})):
        assert other().policy(rules) is None


def test_nobody_compiles_players_that_do_not_sit_at_the_table():
    code = (
        "from shengji_env.envs.seat import SeatVectorEnv\n"
        "from shengji_env.players import greedy, heuristic, random\n"
        "SeatVectorEnv(2, 'random').reset(seed=0)\n"
        "policies = random.next_randomly, greedy.next_greedily, heuristic.next_heuristically\n"
        "print([len(policy.signatures) for policy in policies])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout == "[1, 0, 0]\n"


# ---- rounds in which the agent has nothing to decide


SMALL = {"rules": "small_two_ranks", "skip_forced": True}


def test_rounds_without_a_decision_are_not_shown_and_cost_no_reward():
    env, ends = SeatVectorEnv(16, RANDOM, **SMALL), 0
    _, infos = env.reset(seed=5)
    for _ in range(30):
        assert infos["action_mask"].any(1).all()
        _, rewards, ended, _, infos = env.step(env.sample_actions())
        for row in np.flatnonzero(ended):
            result = {
                name: infos["final_info"]["result"][name][row] for name in ("winner", "declarer", "levels_nominal")
            }
            is_won = (result["winner"] == "declarers") == (result["declarer"] % 2 == 0)
            assert rewards[row] == result["levels_nominal"] * (1 if is_won else -1)
        ends += int(ended.sum())
    assert ends > 100
    assert env.states["round_index"].sum() > 1.3 * ends  # others were skipped


def test_a_given_deal_must_leave_something_to_decide():
    options = {"deal": ["HT", "HJ", "ST", "SJ"] * 2, "declarer": 1}  # everybody holds one pair
    single, many = SeatEnv(RANDOM, **SMALL), SeatVectorEnv(2, RANDOM, **SMALL)
    for env in (single, many):
        with pytest.raises(DealError, match="leaves the agent nothing to decide: give another one, or skip_forced"):
            env.reset(seed=1, options=options)
    with pytest.raises(ShengjiError, match=r"call reset\(\) first"):
        single.step(0)
    assert single.reset(seed=1)[1]["action_mask"].any()
    assert SeatEnv(RANDOM, rules=SMALL["rules"]).reset(seed=1, options=options)[1]["action_mask"].any()


def test_rules_that_never_leave_anything_to_decide_are_refused(monkeypatch):
    monkeypatch.setattr(undecided, "MAX_UNDECIDED", 0)
    with pytest.raises(ShengjiError, match="nothing to decide: give other rules"):
        [SeatEnv(RANDOM, **SMALL).reset(seed=seed) for seed in range(20)]
    env = SeatVectorEnv(20, RANDOM, **SMALL)
    with pytest.raises(ShengjiError, match="nothing to decide: give other rules"):
        env.reset(seed=0)
    monkeypatch.undo()
    assert env.reset(seed=0)[1]["action_mask"].any(1).all()


# ---- made by name, wrapped


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
def test_gymnasium_makes_it_by_name_and_wraps_it(mode):
    envs = gymnasium.make_vec(
        shengji_env.GYMNASIUM_ID, num_envs=4, opponents="random", rules="one_deck", autoreset_mode=mode.value
    )
    assert isinstance(envs, SeatVectorEnv)
    assert isinstance(envs, VectorEnv)
    assert envs.spec.id == shengji_env.GYMNASIUM_ID
    wrapped = RecordEpisodeStatistics(NormalizeReward(envs))
    plain = RecordEpisodeStatistics(
        gymnasium.vector.SyncVectorEnv([lambda: SeatEnv("random", rules="one_deck")] * 4, autoreset_mode=mode)
    )
    statistics = []
    for env in (wrapped, plain):
        rng = np.random.default_rng(4)
        _, infos = env.reset(seed=4)
        found = []
        for _ in range(80):
            actions = choose(rng, infos["action_mask"], 1)
            *_, ended, _, infos = env.step(actions)
            if ended.any():
                found.append(infos["episode"]["l"][ended].tolist())
            if mode == AutoresetMode.DISABLED and ended.any():
                _, infos = env.reset(seed=5)
        statistics.append(found)
    assert statistics[0] == statistics[1]
    assert len(statistics[0]) > 3
    wrapped.close()


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
def test_statistics_hold_every_step_of_every_episode(mode):
    envs = RecordEpisodeStatistics(SeatVectorEnv(16, RANDOM, rules="small_two_ranks", autoreset_mode=mode))
    _, infos = envs.reset(seed=1)
    paid = returned = 0.0
    for _ in range(100):
        _, rewards, ended, _, infos = envs.step(infos["action_mask"].argmax(1))
        paid += np.abs(rewards).sum()
        if ended.any():
            returned += np.abs(infos["episode"]["r"][ended]).sum()
            if mode == AutoresetMode.DISABLED:
                _, infos = envs.reset(options={"reset_mask": ended})
    assert returned == paid > 100


@pytest.mark.parametrize("version", ["1.1.0", "1.3.0"])
def test_a_gymnasium_that_counts_same_step_episodes_wrongly_is_refused(version, monkeypatch):
    monkeypatch.setattr(gymnasium, "__version__", version)
    with pytest.raises(ShengjiError, match=f"gymnasium {version} leaves out a step .* install gymnasium>=1.4"):
        SeatVectorEnv(2, RANDOM)
    for mode in ("NextStep", "Disabled"):
        SeatVectorEnv(2, RANDOM, autoreset_mode=mode)


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_gymnasium_still_vectorises_single_environments(mode):
    kwargs = {"autoreset_mode": AutoresetMode.SAME_STEP}
    envs = gymnasium.make_vec(
        shengji_env.GYMNASIUM_ID, 3, vectorization_mode=mode, vector_kwargs=kwargs, opponents="random", rules="one_deck"
    )
    many = SeatVectorEnv(3, "random", rules="one_deck")
    assert not isinstance(envs, SeatVectorEnv)
    (seen, infos), (same, _) = envs.reset(seed=1), many.reset(seed=1)
    for _ in range(30):
        assert (seen == same).all()
        actions = infos["action_mask"].argmax(1)
        (seen, _, _, _, infos), (same, *_) = envs.step(actions), many.step(actions)
    envs.close()


def test_observations_are_normalised_and_infos_listed_through_wrappers():
    envs = NormalizeObservation(SeatVectorEnv(3, RANDOM, autoreset_mode="NextStep", dtype="float32"))
    seen, infos = envs.reset(seed=1)
    seen, *_, infos = envs.step(infos["action_mask"].argmax(1))
    assert seen.dtype == np.float32
    listed = DictInfoToList(SeatVectorEnv(3, RANDOM))
    assert [info["action_mask"].shape for info in listed.reset(seed=1)[1]] == [(83,)] * 3


def test_the_mask_is_in_dictionaries_of_one_and_of_many():
    single, many = SeatEnv(RANDOM, dict_observation=True), SeatVectorEnv(2, RANDOM, dict_observation=True)
    assert isinstance(many.single_observation_space, Dict)
    assert many.single_observation_space == single.observation_space
    (seen, info), (both, infos) = single.reset(seed=6), many.reset(seed=6)
    assert (seen["action_mask"] == info["action_mask"]).all()
    assert (both["action_mask"] == infos["action_mask"]).all()
    assert (both["action_mask"][0] == seen["action_mask"]).all()
    assert both["action_mask"] is not infos["action_mask"]


def test_sampled_actions_are_legal_and_repeat():
    runs = []
    for _ in range(2):
        envs = SeatVectorEnv(4, RANDOM, illegal_actions="raise", rules="one_deck")
        envs.reset(seed=2)
        runs.append([envs.step(envs.sample_actions())[0].tobytes() for _ in range(40)])
    assert runs[0] == runs[1]


def test_arrays_belong_to_the_caller():
    envs = SeatVectorEnv(2, RANDOM, dict_observation=True, history=2)
    answers = [envs.reset(seed=1)]
    for _ in range(30):
        kept = copy.deepcopy(answers[-1])
        answers.append(envs.step(envs.sample_actions()))
        assert_same(kept, answers[-2])


def test_copies_go_on_alike():
    envs = SeatVectorEnv(3, RANDOM, seat=None, rules="one_deck")
    envs.reset(seed=5)
    for _ in range(10):
        envs.step(envs.sample_actions())
    copies = [envs, copy.deepcopy(envs), pickle.loads(pickle.dumps(envs))]
    for _ in range(40):
        answers = [each.step(each.sample_actions()) for each in copies]
        assert_same(answers[0], answers[1])
        assert_same(answers[0], answers[2])


def test_every_table_is_rendered():
    envs = SeatVectorEnv(3, RANDOM, seat=1, render_mode="ansi")
    envs.reset(seed=1)
    single = SeatEnv(RANDOM, seat=1, render_mode="ansi")
    frames = []
    for seed in range(1, 4):
        single.reset(seed=seed)
        frames.append(single.render())
    assert envs.render() == tuple(frames)
    pictures = SeatVectorEnv(2, RANDOM, render_mode="svg")
    pictures.reset(seed=1)
    assert all(picture.startswith("<svg") for picture in pictures.render())


@pytest.mark.skipif(not can_rasterise(), reason="needs the extra render")
def test_frames_are_pixels():
    envs = gymnasium.make_vec(shengji_env.GYMNASIUM_ID, num_envs=2, opponents="random", render_mode="rgb_array")
    envs.reset(seed=1)
    assert [frame.shape for frame in envs.render()] == [(800, 1280, 3)] * 2


# ---- misuse


def test_illegal_actions_raise_and_move_no_table():
    envs = SeatVectorEnv(3, RANDOM, illegal_actions="raise")
    envs.reset(seed=4)
    legal, before = envs.sample_actions(), envs.states.tobytes()
    illegal = legal.copy()
    illegal[1] = np.flatnonzero(~envs.action_masks()[1])[0]
    with pytest.raises(IllegalActionError, match=r"forbids it here \(table 1\); legal: "):
        envs.step(illegal)
    assert envs.states.tobytes() == before
    for wrong in (-1, 83, 2**40):
        for env in (envs, SeatVectorEnv(3, RANDOM)):
            env.reset(seed=4)
            with pytest.raises(IllegalActionError, match=r"actions are the integers 0\.\.82 \(table 2\)"):
                env.step([legal[0], legal[1], wrong])
    for wrong in ([0, 0], [0.0, 0, 0], "no", None, 0):
        with pytest.raises(ShengjiError):
            envs.step(wrong)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_envs": 0}, "num_envs=0"),
        ({"autoreset_mode": "Never"}, "autoreset_mode='Never' is unknown; it is one of NextStep, SameStep, Disabled"),
        ({"autoreset_mode": []}, "autoreset_mode"),
        ({"seat": 4}, "seat=4 is not a seat"),
        ({"history": -1}, "history=-1"),
        ({"episode": "evening"}, "episode='evening'"),
        ({"episode": "match", "start": "any"}, "draws the start of single rounds"),
        ({"dict_observation": 1}, "dict_observation=1 must be True or False"),
        ({"illegal_actions": "ignore"}, "illegal_actions='ignore'"),
        ({"render_mode": "film"}, "render_mode='film'"),
        ({"opponents": ["random"]}, "one player or three"),
        ({"opponents": {1: 10**5000}}, "<dict> is not a player: it has no method `act`"),
    ],
)
def test_wrong_arguments_are_refused(arguments, message):
    with pytest.raises(ShengjiError, match=message):
        SeatVectorEnv(**{"num_envs": 2, **arguments})


def test_people_and_their_view_are_for_one_table():
    with pytest.raises(RenderModeError, match="prints one table"):
        SeatVectorEnv(2, RANDOM, render_mode="human")
    with pytest.raises(PlayerError, match="a person plays at one table, not at 2 at once"):
        SeatVectorEnv(2, HumanPlayer())


@pytest.mark.parametrize("seed", [-1, 2**64 - 1, "1", 1.0, True, [1], [1, -1], [1, "2"]])
def test_wrong_seeds_are_refused(seed):
    envs = SeatVectorEnv(2, RANDOM)
    with pytest.raises(ShengjiError, match="seed"):
        envs.reset(seed=seed)
    with pytest.raises(ShengjiError, match="call reset"):
        envs.step([0, 0])


@pytest.mark.parametrize("mask", [[True, False], np.array([1, 0]), np.array([True]), np.zeros(2, np.bool_)])
def test_wrong_reset_masks_are_refused(mask):
    envs = SeatVectorEnv(2, RANDOM)
    envs.reset(seed=1)
    before = envs.states.tobytes()
    with pytest.raises(ShengjiError, match="reset_mask"):
        envs.reset(options={"reset_mask": mask})
    with pytest.raises(DealError, match="no option is called 'lvels'"):
        envs.reset(options={"lvels": ["2", "2"]})
    assert envs.states.tobytes() == before


def test_nothing_goes_on_before_it_has_begun_or_after_it_has_ended():
    envs = SeatVectorEnv(2, RANDOM, autoreset_mode="Disabled", rules="one_deck")
    some = {"reset_mask": np.array([True, False])}
    for ask in (lambda: envs.step([0, 0]), envs.action_masks, envs.render, lambda: envs.reset(options=some)):
        with pytest.raises(ShengjiError, match="call reset"):
            ask()
    envs.reset(seed=1)
    over = np.zeros(2, np.bool_)
    while not over.any():
        over = envs.step(envs.sample_actions())[2]
    before = envs.states.tobytes()
    with pytest.raises(ShengjiError, match=rf"under way \(table {over.argmax()}\): call reset\(options="):
        envs.step([0, 0])
    assert envs.states.tobytes() == before


class Faulty:
    """Answers something else than it should."""

    name = "faulty"

    def __init__(self, answer):
        self.answer = answer

    def act(self, observation, action_mask, key):
        return self.answer(action_mask)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda mask: np.full(len(mask), 81), r"\(table \d\): it answered illegally: "),
        (lambda mask: np.full(len(mask), -1), "answered illegally: .*'-1'"),
        (lambda mask: np.zeros(9, np.int64), r"it must be \d actions 0\.\.82"),
        (lambda mask: None, "answered None; it must be"),
        (lambda mask: mask.argmax(1).astype(np.float64), "it must be"),
    ],
)
def test_players_must_answer_legally(answer, message):
    envs = SeatVectorEnv(4, [RANDOM, Faulty(answer), RANDOM])

    def play():
        envs.reset(seed=1)
        for _ in range(200):
            envs.step(envs.sample_actions())

    with pytest.raises(PlayerError, match=message):
        play()
    with pytest.raises(ShengjiError, match="an error of a player has stopped the rounds"):
        envs.step([0] * 4)


def test_after_a_players_error_all_tables_begin_anew():
    answers = [np.zeros(0, np.int64)]
    player = Faulty(lambda mask: answers.pop() if answers else mask.argmax(1))
    envs = SeatVectorEnv(3, player, autoreset_mode="Disabled")
    with pytest.raises(PlayerError):
        envs.reset(seed=1)
    with pytest.raises(ShengjiError, match="for all tables"):
        envs.reset(options={"reset_mask": np.array([True, True, False])})
    seen, _ = envs.reset(seed=1)
    assert seen.tobytes() == SeatVectorEnv(3, player).reset(seed=1)[0].tobytes()
    envs.step(envs.sample_actions())


@pytest.mark.nojit
def test_what_is_compiled_in_advance_stays_within_its_arrays():
    """Plain Python and `make bounds` check every index."""
    PARTS["seat-vectors"].call_all()


def test_a_player_is_asked_at_all_tables_at_once():
    sizes = []

    class Counter:
        name = "counter"

        def act(self, observation, action_mask, key):
            sizes.append(len(observation))
            return action_mask.argmax(1)

    envs = SeatVectorEnv(64, Counter())
    envs.reset(seed=1)
    for _ in range(20):
        envs.step(envs.sample_actions())
    assert max(sizes) > 32
