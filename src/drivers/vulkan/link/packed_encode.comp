// codec::PackRgb: one word of a slice.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "fixed_rate.glsl"

layout(set = 0, binding = 0) readonly buffer Picture { uint pixels[]; };
layout(set = 0, binding = 1) writeonly buffer Slice { uint sliceWords[]; };

// Zeros follow the last pixel of a row.
uint pixelAt(uint x, uint y) { return x < job.width ? pixels[pixelPlace(x, y)] & ((1u << job.bits) - 1u) : 0u; }

// Eight bits of row y from its byte `at` on, taken from at most two pixels.
uint byteOf(uint at, uint y) {
  const uint x = 8u * at / job.bits;
  const uint used = 8u * at - x * job.bits;
  uint value = pixelAt(x, y) >> used;
  if (job.bits - used < 8u) value |= pixelAt(x + 1u, y) << (job.bits - used);
  return value & 255u;
}

// 32 bits, taken from at most three pixels.
uint wordOf(uint at, uint y) {
  const uint x = 8u * at / job.bits;
  const uint used = 8u * at - x * job.bits;
  const uint have = job.bits - used;
  uint value = pixelAt(x, y) >> used | pixelAt(x + 1u, y) << have;
  if (have + job.bits < 32u) value |= pixelAt(x + 2u, y) << (have + job.bits);
  return value;
}

void main() {
  const uint word = gl_GlobalInvocationID.x;
  const uint row = gl_GlobalInvocationID.y;
  // A word that rows share belongs to the row in which it begins.
  const uint first = (row * job.rowBytes + 3u) / 4u + word;
  const uint at = 4u * first - row * job.rowBytes;
  if (at >= job.rowBytes) return;
  if (at + 4u <= job.rowBytes) {
    sliceWords[first] = wordOf(at, row);
    return;
  }
  uint value = 0u;
  for (uint i = 0u; i < 4u; ++i) {
    // A row has at least three bytes.
    const bool next = at + i >= job.rowBytes;
    const uint y = next ? row + 1u : row;
    if (y < job.height) value |= byteOf(next ? at + i - job.rowBytes : at + i, y) << (8u * i);
  }
  sliceWords[first] = value;
}
