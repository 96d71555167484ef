"""The environment on a GPU: its kernels compile without one, and give the same bytes as the processor.

If there is no GPU, Numba's simulator runs the same kernels as plain Python, in a separate process.
"""

import functools
import importlib.metadata
import os
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from numba import cuda
from numba.core import config as numba_config

from shengji_cuda import CudaBatchEnv
from shengji_cuda.kernels import SIGNATURES
from shengji_cuda.lowering import compiled_by_llvm
from shengji_env.envs.batch import BatchEnv
from shengji_env.errors import IllegalActionError, ShengjiError
from tests.helpers.paths import ROOT

SIMULATED = bool(numba_config.ENABLE_CUDASIM)
ARRAYS = ("observation", "action_mask", "seat", "phase", "reward", "terminated", "states")
HOPPER = (9, 0)
A_ROUND = 400
"""More decisions than a round of any of the worlds has."""
STEPS = int(os.environ.get("SHENGJI_CUDA_STEPS", A_ROUND))
WORLDS = [
    ("two_deck", "round", "any", False),
    ("one_deck_45", "round", "first", True),
    ("competition", "match", "first", True),
    ("three_deck(throw_penalty=10)", "round", "any", True),
    ("four_deck", "round", "any", True),
]

needs_gpu = pytest.mark.skipif(SIMULATED or not cuda.is_available(), reason="needs an NVIDIA GPU and numba-cuda")
needs_device = pytest.mark.skipif(
    not SIMULATED and not cuda.is_available(), reason="needs an NVIDIA GPU; test_the_simulator runs it without one"
)


@functools.cache
def no_compiler():
    """Why nothing can be compiled for CUDA here; an empty text where it can."""
    if SIMULATED:
        return "the simulator compiles nothing"
    try:
        importlib.metadata.version("numba-cuda")
        with compiled_by_llvm():
            cuda.compile_ptx(lambda: None, (), cc=HOPPER)
    except importlib.metadata.PackageNotFoundError:
        return "needs numba-cuda"
    except Exception as error:
        return f"nothing compiles for CUDA here: {error}"
    return ""


@pytest.mark.slow
def test_kernels_compile_to_ptx_without_a_gpu(monkeypatch):
    if no_compiler():
        pytest.skip(no_compiler())
    import numba.cuda.dispatcher as dispatcher

    compile_function = dispatcher.compile_cuda

    def compile_or_fail(function, *args, **kwargs):
        # Otherwise Numba would try again in every caller, which takes hours.
        try:
            return compile_function(function, *args, **kwargs)
        except Exception as error:
            pytest.fail(f"{function.__name__} does not compile for CUDA: {error}")

    monkeypatch.setattr(dispatcher, "compile_cuda", compile_or_fail)
    monkeypatch.setattr(dispatcher, "get_current_device", lambda: SimpleNamespace(compute_capability=HOPPER))
    with compiled_by_llvm():
        for kernel, kinds in SIGNATURES.items():
            ptx, _ = cuda.compile_ptx(kernel.py_func, kinds, cc=HOPPER)
            assert ".target sm_90" in ptx
            assert ".visible .entry" in ptx
            assert "malloc" not in ptx
            assert ".extern" not in ptx  # no function of a library, whose results would differ from a processor's


def assert_same_bytes(gpu, cpu):
    for name in ARRAYS:
        assert getattr(gpu, name).copy_to_host().tobytes() == getattr(cpu, name).tobytes(), name


@needs_device
@pytest.mark.parametrize(("rules", "episode", "start", "skip_forced"), WORLDS)
@pytest.mark.parametrize("num_envs", [2] if SIMULATED else [1, 63, 1000])
def test_gpu_and_processor_give_the_same_bytes(num_envs, rules, episode, start, skip_forced):
    world = {"episode": episode, "start": start, "skip_forced": skip_forced, "shaping": "trick_points", "seed": 41}
    cpu = BatchEnv(num_envs, rules, **world)
    gpu = CudaBatchEnv(num_envs, rules, **world)
    assert_same_bytes(gpu, cpu)
    for _ in range(STEPS):
        chosen = cpu.sample_actions()
        assert gpu.sample_actions().copy_to_host().tobytes() == chosen.tobytes()
        gpu.step(gpu.sample_actions())
        cpu.step(chosen)
        assert_same_bytes(gpu, cpu)
    assert cpu.states["round_index"].max() > 0 or STEPS < A_ROUND


@needs_device
def test_resetting_with_a_seed_is_starting_with_it():
    first, other = CudaBatchEnv(2, seed=42), CudaBatchEnv(2, seed=43)
    other.step(other.sample_actions())
    other.reset(seed=42)
    for name in ARRAYS:
        assert getattr(first, name).copy_to_host().tobytes() == getattr(other, name).copy_to_host().tobytes(), name


@needs_device
def test_an_illegal_action_at_one_table_moves_none():
    env = CudaBatchEnv(3, seed=44)
    before = env.states.copy_to_host().tobytes()
    chosen = env.sample_actions().copy_to_host()
    chosen[1] = int(np.flatnonzero(env.action_mask.copy_to_host()[1] == 0)[0])
    with pytest.raises(IllegalActionError, match=r"\(table 1\)"):
        env.step(chosen)
    assert env.states.copy_to_host().tobytes() == before
    with pytest.raises(ShengjiError, match=r"actions have shape \(2,\)"):
        env.step(chosen[:2])
    for wrong in (env.terminated, env.reward, env.observation):
        with pytest.raises(ShengjiError, match=r"contiguous int64 of shape \(3,\)"):
            env.step(wrong)
    assert env.states.copy_to_host().tobytes() == before
    env.step([-1, -1, -1])
    assert env.states.copy_to_host().tobytes() == before
    with pytest.raises(IllegalActionError, match=r"\(table 0\)"):
        env.step(np.full(3, 2**64 - 1, np.uint64))
    chosen[:] = -1
    env.step(chosen)
    assert env.states.copy_to_host().tobytes() == before


@needs_device
def test_no_step_reads_what_a_caller_has_written_on_the_device():
    env, other = CudaBatchEnv(2, seed=46), CudaBatchEnv(2, seed=46)
    for name in ARRAYS:
        array = getattr(env, name)
        garbage = array.copy_to_host()
        garbage.view(np.uint8)[...] = 99
        array.copy_to_device(garbage)
        with pytest.raises(AttributeError):
            setattr(env, name, array)
    illegal = int(np.flatnonzero(other.action_mask.copy_to_host()[1] == 0)[0])
    with pytest.raises(IllegalActionError, match=r"\(table 1\)"):
        env.step([-1, illegal])
    chosen = other.sample_actions().copy_to_host()
    assert env.sample_actions().copy_to_host().tobytes() == chosen.tobytes()
    for each in (env, other):
        each.step(chosen)
    for name in ARRAYS:
        assert getattr(env, name).copy_to_host().tobytes() == getattr(other, name).copy_to_host().tobytes(), name


@pytest.mark.skipif(SIMULATED or cuda.is_available(), reason="there is a device")
def test_without_a_gpu_the_error_says_what_is_needed_and_what_to_use_instead():
    with pytest.raises(ShengjiError, match=r"NVIDIA GPU.*pip install \./integrations/cuda;.*BatchEnv"):
        CudaBatchEnv(2)


@needs_gpu
def test_torch_shares_the_arrays_without_a_copy():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("this torch is built without CUDA")
    env = CudaBatchEnv(64, seed=45)
    tensors = {name: torch.as_tensor(getattr(env, name), device="cuda") for name in ARRAYS if name != "states"}
    for name, tensor in tensors.items():
        assert tensor.data_ptr() == getattr(env, name).__cuda_array_interface__["data"][0]
    for _ in range(20):
        env.step(tensors["action_mask"].argmax(1))
        torch.cuda.synchronize()
        for name, tensor in tensors.items():
            assert (tensor.cpu().numpy() == getattr(env, name).copy_to_host()).all(), name


def simulate(select, steps):
    """Run tests of this file in the simulator; returns what pytest says."""
    flags = {"NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1", "SHENGJI_CUDA_STEPS": str(steps)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", __file__, "-k", select]
    root = ROOT
    done = subprocess.run(command, cwd=root, env={**os.environ, **flags}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.thorough
@pytest.mark.skipif(SIMULATED, reason="starts the simulator")
def test_the_simulator_gives_the_same_bytes_for_some_steps():
    assert "4 passed" in simulate("(same_bytes and one_deck_45) or seed or illegal or written", 60)


@pytest.mark.slow
@pytest.mark.skipif(SIMULATED, reason="starts the simulator")
def test_the_simulator_gives_the_same_bytes_for_whole_rounds():
    assert f"{len(WORLDS)} passed" in simulate("same_bytes", A_ROUND)
