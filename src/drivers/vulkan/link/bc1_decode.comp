// codec::DecodeBc1: one pixel of a slice.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "fixed_rate.glsl"

layout(set = 0, binding = 0) readonly buffer Slice { uint sliceWords[]; };
layout(set = 0, binding = 1) writeonly buffer Picture { uint pixels[]; };

uvec3 expanded(uint code) {
  const uint blue = code & 31u;
  const uint green = (code >> 5) & 63u;
  const uint red = code >> 11;
  return uvec3(blue << 3 | blue >> 2, green << 2 | green >> 4, red << 3 | red >> 2);
}

uvec3 colorAt(uint codes, uint index) {
  const uint first = codes & 0xFFFFu;
  const uint second = codes >> 16;
  const uvec3 a = expanded(first);
  const uvec3 b = expanded(second);
  switch (index) {
    case 0u: return a;
    case 1u: return b;
    case 2u: return first > second ? (2u * a + b + 1u) / 3u : (a + b + 1u) / 2u;
    default: return first > second ? (a + 2u * b + 1u) / 3u : uvec3(0u);
  }
}

void main() {
  const uint x = gl_GlobalInvocationID.x;
  const uint y = gl_GlobalInvocationID.y;
  if (x >= job.width) return;
  const uint at = 2u * (y / 4u * ((job.width + 3u) / 4u) + x / 4u);
  const uvec3 color = colorAt(sliceWords[at], (sliceWords[at + 1u] >> (2u * (4u * (y & 3u) + (x & 3u)))) & 3u);
  pixels[pixelPlace(x, y)] = blueFirst(color.x | color.y << 8 | color.z << 16 | 0xFF000000u);
}
