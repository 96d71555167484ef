"""Inner functions: those that compiled code calls. They become machine code only as parts of kernels.

Numba optimises a function together with everything that it calls, makes machine code of all this, and does the same
again in each caller. What is called through ten levels is optimised ten times, and only the outermost result ever runs.
Here a function that compiled code calls stays as Numba has translated it. A **kernel**, which Python calls, takes in
everything below it at once; only kernels are optimised, made into machine code and cached. `shengji play` starts with
0.60 times the processor time (research/trials/performance.md, first use).
"""

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numba
from numba import _dynfunc
from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering


def share_inner(kernel: Any, function: Callable[..., Any], options: dict[str, Any]) -> None:
    """Let compiled code that calls a kernel call one inner function instead, with all integers as 64 bits.

    Fields of records have 8, 16 or 32 bits, and Numba would otherwise compile a function for each combination of them.
    """
    inner = functools.cache(lambda: inner_function(function, **options))
    add_overload = kernel.add_overload

    def get_call_template(arguments: Any, keywords: Any) -> Any:
        narrow = (isinstance(kind, types.Integer) and kind is not types.uint64 for kind in arguments)
        wide = (types.int64 if flag else kind for flag, kind in zip(narrow, arguments, strict=True))
        return inner().get_call_template(tuple(wide), keywords)

    def get_overload(signature: Any) -> Any:
        return inner().get_overload(signature)

    def add_compiled(compiled: Any) -> None:
        set_environments(compiled)
        add_overload(compiled)

    kernel.get_call_template, kernel.get_overload, kernel.add_overload = get_call_template, get_overload, add_compiled


def inner_function(function: Callable[..., Any], **options: Any) -> Any:
    """Return what compiled code calls where it calls `function`; Python cannot call it."""
    return numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, pipeline_class=_InnerCompiler, **options)(
        function
    )


def set_environments(kernel: Any) -> None:
    """Give a kernel that has just been compiled what its inner functions need in order to raise errors and print."""
    for environment in kernel._find_referenced_environments():
        kernel.codegen.set_env(environment.env_name, environment)


class _InnerLibrary(JITCodeLibrary):  # type: ignore[misc]  # Numba's classes have no types
    """The code of one inner function, and the libraries of what it calls, to be linked into kernels."""

    _shared_module: Any

    def finalize(self) -> None:
        """Take in nothing more; nothing is optimised or made into machine code."""
        self._raise_if_finalized()
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """Return the function and everything below it, as code that several kernels may hold.

        It is optimised once before it is a part of a kernel: kernels are 3 to 5 % faster than without.
        """
        if self._shared_module is None:
            module = self._final_module.clone()
            for below in self._modules_below({self}):
                module.link_in(below, preserve=True)
            passes, builder = self._codegen._module_pass_manager()
            passes.run(module, builder)
            for function in module.functions:
                if not function.is_declaration and function.linkage.name == "external":
                    function.linkage = "linkonce_odr"
            self._shared_module = module
        return self._shared_module

    def _modules_below(self, seen: set[Any]) -> Iterator[Any]:
        """Yield the code of each library below that is not in `seen`, which grows."""
        for library in self._linking_libraries:
            if library in seen:
                continue
            seen.add(library)
            if isinstance(library, _InnerLibrary):
                yield library._final_module
                yield from library._modules_below(seen)
            else:
                yield library._get_module_for_linking()


@register_pass(mutates_CFG=True, analysis_only=False)
class _InnerLowering(NativeLowering):  # type: ignore[misc]  # as above
    """The last pass over an inner function: it is translated, and known to its callers, but has no address."""

    _name = "shengji_inner_lowering"

    def run_pass(self, state: Any) -> bool:
        """Translate the function."""
        state.library = _InnerLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        lowered, name = state["cr"], state.func_id.func_name
        # Callers find the function by this object, which also keeps the library alive.
        key = _dynfunc.make_function(
            lowered.fndesc.lookup_module(), name, f"inner {name}", 0, lowered.env, (state.library,)
        )
        state.targetctx.insert_user_function(key, lowered.fndesc, [state.library])
        state["cr"] = lowered._replace(cfunc=key)
        return True


class _InnerCompiler(CompilerBase):  # type: ignore[misc]  # as above
    """Numba's compiler with another last pass."""

    def define_pipelines(self) -> list[Any]:
        """Return the passes."""
        pipeline = DefaultPassBuilder.define_nopython_pipeline(self.state)
        pipeline.passes = [(_InnerLowering if kind is NativeLowering else kind, what) for kind, what in pipeline.passes]
        pipeline.finalize()
        return [pipeline]
