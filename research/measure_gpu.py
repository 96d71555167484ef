"""What `CudaBatchEnv` does on this machine's GPU: tests, equality with the processor, speed; a table last, and JSON.

    make gpu                                    with what `python3` of this machine has
    make gpu ARGS="--wheels FOLDER"             packages that are missing are installed from a folder, without a network
    make gpu ARGS="--curve 60"                  how much PPO learns in a minute, on the GPU and on the processor's cores

A stage that no time is left for is left out, and said so. Rates are medians of five runs, timed until the GPU is done.
"""

import argparse
import importlib.metadata
import importlib.util
import itertools
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

NEEDED = ("numpy", "numba", "llvmlite", "numba-cuda", "gymnasium", "pettingzoo", "rich")
SIZES = tuple(2**power for power in range(12, 19))
PRESETS = ("two_deck", "one_deck_45", "competition", "three_deck", "four_deck")
COMPARED = ("observation", "action_mask", "seat", "phase", "reward", "terminated", "states")
TABLES = 4096
"""Tables of a comparison."""
DESYNCHRONISED = 150
"""Steps after which tables are at different points of their rounds."""
WIDTHS = (448, 224)
"""Hidden layers of the network in the loop, which has about as many weights as `champion`, 0.7 million."""


def missing_packages() -> list[str]:
    """Return the needed packages that this Python does not have."""
    return [name for name in NEEDED if importlib.util.find_spec(name.replace("-", "_")) is None]


def install(wheels: Path) -> None:
    """Start this program again with the wheels of a folder in front of what is installed."""
    target = tempfile.mkdtemp(prefix="shengji-gpu-")
    options = ["--quiet", "--no-index", "--no-deps", "--no-compile", "--target", target]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, *map(str, wheels.glob("*.whl"))], check=True)
    paths = [target, *filter(None, [os.environ.get("PYTHONPATH")])]
    rest = [word for word in sys.argv[1:] if word not in ("--wheels", str(wheels))]
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)
    os.execv(sys.executable, [sys.executable, "-m", "research.measure_gpu", *rest])


def machine() -> dict[str, Any]:
    """Return the card, its driver, and the versions of what uses it."""
    query = ["nvidia-smi", "--query-gpu=name,driver_version,clocks.max.sm,memory.total", "--format=csv,noheader"]
    card = subprocess.run(query, capture_output=True, text=True, check=True).stdout.strip()
    versions = {}
    for name in (*NEEDED, "torch"):
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            versions[name] = "missing"
    return {"card": card, "cores": os.cpu_count(), "python": sys.version.split()[0], **versions}


def kernels() -> dict[str, Any]:
    """Compile the kernels, or load them; return how long that took, and what each takes of a processor."""
    from shengji_cuda.kernels import SIGNATURES, load_kernels

    began = time.perf_counter()
    load_kernels()
    result: dict[str, Any] = {"seconds": round(time.perf_counter() - began, 1)}
    for kernel in SIGNATURES:
        result[kernel.py_func.__name__] = {
            "registers": [*kernel.get_regs_per_thread().values()],
            "bytes in memory, a thread": [*kernel.get_local_mem_per_thread().values()],
            "shared bytes": [*kernel.get_shared_mem_per_block().values()],
        }
    return result


def tests() -> dict[str, Any]:
    """Run the tests of `tests/integrations/test_cuda.py` that need a GPU."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not slow"]
    done = subprocess.run([*command, "tests/integrations/test_cuda.py"], capture_output=True, text=True)
    return {
        "passed": done.returncode == 0,
        "summary": done.stdout.strip().splitlines()[-1:],
        "output": done.stdout[-3000:],
    }


def same_bytes(rules: str, steps: int) -> dict[str, Any]:
    """Play the same actions on both; return the decisions compared, and the arrays that differed."""
    from shengji_cuda import CudaBatchEnv
    from shengji_env.vector import BatchEnv

    world: dict[str, Any] = {"start": "any", "shaping": "trick_points", "seed": 7}
    gpu, cpu = CudaBatchEnv(TABLES, rules, **world), BatchEnv(TABLES, rules, threads=os.cpu_count() or 1, **world)
    differing = set()
    for _ in range(-(-steps // TABLES)):
        chosen = cpu.sample_actions()
        if gpu.sample_actions().copy_to_host().tobytes() != chosen.tobytes():
            differing.add("sample_actions")
        gpu.step(chosen)
        cpu.step(chosen)
        differing |= {n for n in COMPARED if getattr(gpu, n).copy_to_host().tobytes() != getattr(cpu, n).tobytes()}
    return {"decisions": -(-steps // TABLES) * TABLES, "differing": sorted(differing)}


def rate_of(step: Callable[[], object], size: int, wait: Callable[[], object], seconds: float = 0.4) -> float:
    """Return steps per second: the median of five runs of some seconds each."""
    rates = []
    for _ in range(5):
        began, steps = time.perf_counter(), 0
        while time.perf_counter() - began < seconds:
            for _ in range(20):
                step()
            wait()
            steps += 20 * size
        rates.append(steps / (time.perf_counter() - began))
    return statistics.median(rates)


def random_step(env: Any) -> None:
    """Make a random legal action at each table."""
    env.step(env.sample_actions())


def gpu_env(size: int) -> Any:
    """Return an environment whose tables are at different points of their rounds."""
    from shengji_cuda import CudaBatchEnv

    env = CudaBatchEnv(size, start="any", seed=0, check=False)
    for _ in range(DESYNCHRONISED):
        random_step(env)
    return env


def random_play(size: int) -> dict[str, Any]:
    """Measure steps with random actions chosen on the device, everything staying there."""
    from numba import cuda

    free = cuda.current_context().get_memory_info().free
    env = gpu_env(size)
    used = free - cuda.current_context().get_memory_info().free
    rate = rate_of(partial(random_step, env), size, cuda.synchronize)
    return {"steps a second": round(rate), "bytes a table": round(used / size)}


def with_network(size: int) -> dict[str, Any]:
    """Measure steps whose actions a network chooses, which reads observations and masks where they are."""
    import torch

    from shengji_env.engine.actions import NUM_ACTIONS
    from shengji_env.tables.observation import OBSERVATION_SIZE

    env, sizes = gpu_env(size), (OBSERVATION_SIZE, *WIDTHS, NUM_ACTIONS)
    layers = [part for pair in itertools.pairwise(sizes) for part in (torch.nn.Linear(*pair), torch.nn.ReLU())]
    network = torch.nn.Sequential(*layers[:-1]).to("cuda", torch.bfloat16)
    seen, mask = (torch.as_tensor(array, device="cuda") for array in (env.observation, env.action_mask))

    @torch.no_grad()
    def step() -> None:
        logits = network(seen.to(torch.bfloat16)).masked_fill_(mask == 0, -1e9)
        noise = torch.empty_like(logits).exponential_().log_()
        env.step((logits - noise).argmax(1))

    return {"steps a second": round(rate_of(step, size, torch.cuda.synchronize))}


def processor() -> dict[str, Any]:
    """Measure `BatchEnv` with one thread, and with one for each core."""
    from shengji_env.vector import BatchEnv

    result = {}
    for threads, size in ((1, 1024), (os.cpu_count() or 1, 16384)):
        env = BatchEnv(size, start="any", seed=0, threads=threads)
        for _ in range(DESYNCHRONISED):
            random_step(env)
        rate = rate_of(partial(random_step, env), size, lambda: None)
        result[f"{threads} threads"] = round(rate)
    return result


def curve(device: str, seconds: float, deals: int, out: Path) -> list[dict[str, Any]]:
    """Let `agents.gpu_single_file` learn; return what its networks, kept ever later, win from `random` and `greedy`."""
    from agents.gpu_single_file import Args, export, learn
    from shengji_env.arena import play_matchup

    # A processor learns most from small batches; both are the best of those tried.
    args = (
        Args(seconds=seconds) if device == "cuda" else Args(device="cpu", seconds=seconds, tables=512, minibatch=2048)
    )
    points: list[dict[str, Any]] = []
    due = seconds / 16
    for spent, decisions, agent in learn(args):
        if spent >= min(due, seconds):
            path = out / f"{device}-{len(points)}.npz"
            export(agent, path, args.rules)
            points.append({"seconds": round(spent, 1), "decisions": decisions, "policy": str(path)})
            due *= 2
    for point in points if deals else ():
        for opponent in ("random", "greedy"):
            result = play_matchup(f"policy:{point['policy']}", opponent, num_deals=deals, seed=31)
            point[opponent] = [round(value, 3) for value in (result.levels_per_round, *result.interval)]
    return points


def stages(chosen: argparse.Namespace) -> dict[str, Callable[[], Any]]:
    """Return what is measured, by name and in order."""
    if chosen.curve:
        out = chosen.out.parent
        return {f"PPO on {name}": partial(curve, name, chosen.curve, chosen.deals, out) for name in ("cuda", "cpu")}
    every: dict[str, Callable[[], Any]] = {"kernels": kernels}
    for size in SIZES:
        every[f"random play, N = {size:,}"] = partial(random_play, size)
    for size in SIZES[::3]:
        every[f"a network plays, N = {size:,}"] = partial(with_network, size)
    every["processor"] = processor
    for rules in PRESETS:
        every[f"same bytes, {rules}"] = partial(same_bytes, rules, chosen.steps)
    return every | {"tests": tests}


def main() -> int:
    """Run the stages; return 0 if none failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheels", type=Path, help="folder of packages to install first, for this run only")
    parser.add_argument("--seconds", type=float, default=360, help="no stage begins later than this (default 360)")
    parser.add_argument(
        "--steps", type=int, default=10**6, help="decisions compared for each preset (default 1,000,000)"
    )
    parser.add_argument("--curve", type=float, default=0, help="seconds that PPO learns, in place of all else")
    parser.add_argument("--deals", type=int, default=1000, help="deals of each match-up of the curve (default 1000)")
    parser.add_argument("--out", type=Path, default=Path("runs/gpu/gpu.json"), help="(default runs/gpu/gpu.json)")
    chosen = parser.parse_args()
    if chosen.wheels:
        install(chosen.wheels)
    if missing := missing_packages():
        print(
            f"this Python lacks {', '.join(missing)}: pip install -c constraints.txt -e . -e integrations/cuda,"
            " or --wheels FOLDER"
        )
        return 2
    if shutil.which("nvidia-smi") is None:
        print("this machine has no NVIDIA driver: nvidia-smi is not on the PATH")
        return 2
    began, chosen.out = time.perf_counter(), chosen.out.resolve()
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    found: dict[str, Any] = {"machine": machine()}
    print(*(f"{name}: {value}" for name, value in found["machine"].items()), sep="\n", flush=True)
    for name, stage in stages(chosen).items():
        started = time.perf_counter()
        if started - began > chosen.seconds:
            found[name] = "left out: no time"
            continue
        print(f"{started - began:4.0f} s  {name}", flush=True)
        try:
            found[name] = stage()
        except Exception as error:  # noqa: BLE001  # the other stages are worth their time
            found[name] = {"failed": f"{type(error).__name__}: {error}"}
        chosen.out.write_text(json.dumps(found, indent=1) + "\n")
    print(*(f"{name:32} {json.dumps(value)[:400]}" for name, value in found.items() if name != "machine"), sep="\n")
    print(f"written to {chosen.out}")
    bad = [
        n
        for n, v in found.items()
        if isinstance(v, dict) and (v.get("failed") or v.get("differing") or v.get("passed") is False)
    ]
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
