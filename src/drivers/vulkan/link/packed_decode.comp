// codec::UnpackRgb and plain pixels: one pixel of a slice.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "fixed_rate.glsl"

layout(set = 0, binding = 0) readonly buffer Slice { uint sliceWords[]; };
layout(set = 0, binding = 1) writeonly buffer Picture { uint pixels[]; };

void main() {
  const uint x = gl_GlobalInvocationID.x;
  const uint y = gl_GlobalInvocationID.y;
  if (x >= job.width) return;
  const uint at = y * job.rowBytes + x * job.bits / 8u;
  const uint shift = 8u * (at & 3u) + (x * job.bits & 7u);
  uint pixel = sliceWords[at / 4u] >> shift;
  if (shift + job.bits > 32u) pixel |= sliceWords[at / 4u + 1u] << (32u - shift);
  const uint mask = 0xFFFFFFFFu >> (32u - job.bits);
  pixels[pixelPlace(x, y)] = (pixel & mask) | ~mask;
}
