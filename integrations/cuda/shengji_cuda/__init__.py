"""The batch environment on an NVIDIA GPU.

The rules are the functions that run on a processor, so the arrays hold the same bytes as those of `BatchEnv` for the
same seed and actions. It needs a GPU.

| module | what it has |
|---|---|
| `cuda_batch` | `CudaBatchEnv` |
| `kernels` | what runs on the GPU |
| `lowering` | how Numba's translation of a kernel becomes machine code |

Source: docs/environments/cuda.md.
"""

from shengji_env.engine.compiler import HAS_NUMBA

if not HAS_NUMBA:
    raise ModuleNotFoundError("CudaBatchEnv is compiled: it needs Numba, which is not installed", name="numba")

from shengji_cuda.cuda_batch import CudaBatchEnv as CudaBatchEnv
