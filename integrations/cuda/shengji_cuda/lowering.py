"""From Numba's translation of a kernel to PTX: by the LLVM that Numba brings, instead of NVVM.

NVVM, which Numba-cuda uses, is built on LLVM 7. It leaves the loops over slots as Numba has written them, with their
counters and checks for negative indices, and its PTX of a step is four times as long.

Source: docs/environments/cuda.md.
"""

import contextlib
import functools
from collections.abc import Iterator
from typing import Any

import llvmlite.binding as llvm
from numba.cuda.cudadrv import nvvm

_TRIPLE = "nvptx64-nvidia-cuda"
_ROUNDS = 2
"""How often LLVM optimises: only the second time it sees that records are at fixed addresses in shared memory."""
_HEAD = ".address_size 64"
_NO_UNROLLING = '\n.pragma "nounroll";'
"""What warps wait for is instructions: a step has more than fit into the caches that these come from."""
_VOTE = "llvm.nvvm.vote.sync"
"""NVVM's function for votes; LLVM has one for each kind of vote."""
_BALLOT = """
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
define linkonce_odr {i32, i1} @vote(i32 %lanes, i32 %kind, i1 %flag) alwaysinline {
  %word = call i32 @llvm.nvvm.vote.ballot.sync(i32 %lanes, i1 %flag)
  %result = insertvalue {i32, i1} undef, i32 %word, 0
  ret {i32, i1} %result
}
"""
"""The only kind of vote that `engine/lanes.py` takes, under a name that NVVM's is replaced by."""


@contextlib.contextmanager
def compiled_by_llvm() -> Iterator[None]:
    """Let kernels that are compiled inside the block be made into PTX by LLVM."""
    before = nvvm.compile_ir
    nvvm.compile_ir = _ptx_of
    try:
        yield
    finally:
        nvvm.compile_ir = before


def _ptx_of(modules: list[str], *, arch: str, **options: Any) -> bytes:
    """Return the PTX of a kernel, given as the modules of all its functions."""
    machine = _machine(arch.replace("compute", "sm"))
    program = _linked(modules, f'target triple = "{_TRIPLE}"\ntarget datalayout = "{machine.target_data}"\n')
    for function in program.functions:
        if function.linkage == llvm.Linkage.linkonce_odr:
            function.linkage = llvm.Linkage.internal
    tuning = llvm.create_pipeline_tuning_options(speed_level=3)
    tuning.loop_vectorization = tuning.slp_vectorization = tuning.loop_unrolling = False
    passes = llvm.create_pass_builder(machine, tuning)
    for _ in range(_ROUNDS):
        passes.getModulePassManager().run(program, passes)
    ptx: str = machine.emit_assembly(program)
    return ptx.replace(_HEAD, _HEAD + _NO_UNROLLING).encode()


@functools.cache
def _machine(processor: str) -> Any:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return llvm.Target.from_triple(_TRIPLE).create_target_machine(cpu=processor, opt=3)


def _linked(modules: list[str], target: str) -> Any:
    program = llvm.parse_assembly(target + _BALLOT)
    for text in modules:
        lines = (line for line in text.splitlines() if not line.startswith("target "))
        program.link_in(llvm.parse_assembly(target + "\n".join(lines).replace(_VOTE, "vote")))
    return program
