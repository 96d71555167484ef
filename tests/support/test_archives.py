"""Archives from any source are read completely, or refused with one kind of error."""

import contextlib
import io
import zipfile

import numpy as np
import pytest

from shengji_env.errors import ShengjiError
from shengji_env.support import archives
from shengji_env.support.archives import read_archive, read_arrays


def zipped(members, method=zipfile.ZIP_STORED):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return packed


def npy(descr="'<f4'", shape="(1,)", data=b"\0\0\0\0", order="False", version=b"\x01\x00"):
    header = f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY" + version + len(header).to_bytes(2, "little") + header + data


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_arrays_are_read_as_they_were_saved(save):
    records = np.zeros(3, [("a", np.int8), ("b", np.float32, (2,))])
    records["b"] = 7
    saved = {"x": np.arange(6.0).reshape(2, 3), "text": np.array("a text"), "nothing": np.zeros((4, 0, 5), np.int8),
             "turned": np.asfortranarray(np.arange(6).reshape(2, 3)), "records": records}  # fmt: skip
    packed = io.BytesIO()
    save(packed, **saved)
    found = read_arrays(packed)
    assert list(found) == list(saved)
    for name, array in saved.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array)
        assert found[name].flags.writeable


@pytest.mark.parametrize(
    "content",
    [
        b"", b"no array", b"\x93NUMPY", npy()[:-1], npy() + b"more", npy(version=b"\x03\x00"), npy(version=b"\x09\x00"),
        npy("'|O'"), npy("'|V0'", "(1000000000000000000,)", b""), npy(shape="(-1,)"), npy(shape="(10**12,)"),
        npy(shape="(1000000000000,)"), npy(shape="(2**63, 2**63)"), npy(shape="(True,)", data=b""), npy(shape="3"),
        npy("'nonsense'"), npy("[('a', '|O')]"), npy(shape="(" * 3000), npy(shape="-" * 5000 + "1"), npy(order="7"),
        npy(shape="(" + "1," * 70 + ")"), npy("__import__('os').abort()"), npy("['a', 3]"), npy("'<f4'" * 3000),
    ],
)  # fmt: skip
def test_what_is_no_array_is_refused(content):
    with pytest.raises(ShengjiError, match=r"its member 'x.npy' is not an array, or a damaged one") as refused:
        read_arrays(zipped([("x.npy", content)]))
    assert len(str(refused.value)) < 400


def test_what_is_no_zip_file_is_refused():
    whole = zipped([("x.npy", npy()), ("y.npy", npy())]).getvalue()
    generator = np.random.default_rng(0)
    for _ in range(2000):
        damaged = bytearray(whole[: int(generator.integers(len(whole)))] if generator.random() < 0.2 else whole)
        for _ in range(generator.integers(1, 5)):
            if damaged:
                damaged[generator.integers(len(damaged))] = generator.integers(256)
        with contextlib.suppress(ShengjiError):
            assert all(array.nbytes <= len(whole) for array in read_arrays(io.BytesIO(bytes(damaged))).values())


def test_names_and_sizes_are_looked_at_first(monkeypatch):
    with pytest.warns(UserWarning, match="Duplicate"):
        twice = zipped([("x.npy", npy()), ("x.npy", npy())])
    with pytest.raises(ShengjiError, match="two of its members have one name"):
        read_archive(twice)
    with pytest.raises(ShengjiError, match=r"its member 'x.txt' is not an array"):
        read_arrays(zipped([("x.txt", npy())]))
    monkeypatch.setattr(archives, "MAX_UNPACKED", 10_000)
    assert read_archive(zipped([("x", bytes(9_000))], zipfile.ZIP_DEFLATED))["x"] == bytes(9_000)
    assert len(read_archive(zipped([("x", bytes(90_000))]))["x"]) == 90_000
    with pytest.raises(ShengjiError, match=r"its [\d,]+ bytes would unpack to 90,000"):
        read_archive(zipped([("x", bytes(90_000))], zipfile.ZIP_DEFLATED))
