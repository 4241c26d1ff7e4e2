"""Photographs of a stage and how they differ. Used by scripts/check_programs.py."""
import functools
import operator
import subprocess

import program_stage

# The mean difference of a colour in drawn pixels, of 255, that a lossy encoding may have.
LOSSY_MEAN = 4


def lit(picture, empty):
    """A byte for each pixel: 1 where the picture differs from the empty screen."""
    return bytes(picture[i : i + 3] != empty[i : i + 3] for i in range(0, len(picture), 3))


def difference(one, other):
    """How many pixels differ, and by how much at most."""
    if len(one) != len(other):
        return "the photograph has another size"
    step = 3 if len(one) == 3 * program_stage.WIDTH * program_stage.HEIGHT else 1
    differing = sum(one[i : i + step] != other[i : i + step] for i in range(0, len(one), step))
    most = max((abs(a - b) for a, b in zip(one, other)), default=0)
    return f"{differing} pixels differ, by up to {most}"


def save(picture, path):
    form = "P6" if len(picture) == 3 * program_stage.WIDTH * program_stage.HEIGHT else "P5"
    header = f"{form} {program_stage.WIDTH} {program_stage.HEIGHT} 255\n".encode()
    subprocess.run(["convert", "ppm:-", str(path)], input=header + picture, check=False)


@functools.lru_cache(maxsize=1)
def drawn(native):
    """How many pixels are not black. A run compares its native picture with many photographs."""
    return sum(lit(native, bytes(len(native))))


def mean_difference(native, picture):
    """Of the colours in pixels that are not black in the native picture."""
    return sum(map(abs, map(operator.sub, native, picture))) / max(3 * drawn(native), 1)


def close(row, way, picture, native):
    """Whether the pictures are the same, as far as the row and a lossy encoding allow."""
    if picture == native or len(picture) != len(native):
        return picture == native
    if row.compare == "exact" and not way.is_exact():
        return mean_difference(native, picture) <= LOSSY_MEAN
    return row.most > 0 and max(map(abs, map(operator.sub, picture, native))) <= row.most
