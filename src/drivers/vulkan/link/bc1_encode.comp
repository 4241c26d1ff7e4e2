// codec::EncodeBc1: one block of 4 x 4 pixels.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "fixed_rate.glsl"

layout(set = 0, binding = 0) readonly buffer Picture { uint pixels[]; };
layout(set = 0, binding = 1) writeonly buffer Slice { uint sliceWords[]; };
// The nearest codes of each level: codes of five bits, used for two thirds and one third, and codes of six bits.
layout(set = 0, binding = 2) readonly buffer Table { uint table[]; };

const uint kPixels = 16u;

// Blue, green, red.
ivec3 colorOf(uint pixel) { return ivec3(pixel & 255u, (pixel >> 8) & 255u, (pixel >> 16) & 255u); }

int codeOf(ivec3 c) {
  return (c.x * 249 + 1014) >> 11 | ((c.y * 253 + 505) >> 10) << 5 | ((c.z * 249 + 1014) >> 11) << 11;
}

ivec3 expanded(int code) {
  const int blue = code & 31;
  const int green = (code >> 5) & 63;
  const int red = code >> 11;
  return ivec3(blue << 3 | blue >> 2, green << 2 | green >> 4, red << 3 | red >> 2);
}

// The greater code comes first; index 2 is nearer to the first, 3 to the second.
uvec2 flatBlock(ivec3 c) {
  const uint blue = table[c.x];
  const uint green = table[c.y] >> 16;
  const uint red = table[c.z];
  const uint near = (blue & 255u) | (green & 255u) << 5 | (red & 255u) << 11;
  const uint far = ((blue >> 8) & 255u) | ((green >> 8) & 255u) << 5 | ((red >> 8) & 255u) << 11;
  if (near == far) return uvec2(near | far << 16, 0u);
  return near > far ? uvec2(near | far << 16, 0xAAAAAAAAu) : uvec2(far | near << 16, ~0u);
}

// The codes of the first and the second colour, derived from the box.
ivec2 endpoints(ivec3 colors[kPixels]) {
  ivec3 low = colors[0];
  ivec3 high = colors[0];
  for (uint i = 1u; i < kPixels; ++i) {
    low = min(low, colors[i]);
    high = max(high, colors[i]);
  }
  const ivec3 range = high - low;
  const bool green = range.y >= range.x && range.y >= range.z;
  const ivec3 pivot = green ? ivec3(0, 1, 0) : range.x >= range.z ? ivec3(1, 0, 0) : ivec3(0, 0, 1);
  ivec3 withPivot = ivec3(0);
  for (uint i = 0u; i < kPixels; ++i) {
    const ivec3 from = 2 * colors[i] - low - high;
    const ivec3 of = from * pivot;
    withPivot += from * (of.x + of.y + of.z);
  }
  const ivec3 inset = range >> 4;
  low += inset;
  high -= inset;
  const bvec3 swaps = lessThan(withPivot, ivec3(0));
  const ivec3 first = mix(high, low, swaps);
  const ivec3 second = mix(low, high, swaps);
  return ivec2(codeOf(first), codeOf(second));
}

uvec2 encoded(ivec3 colors[kPixels]) {
  bool isFlat = true;
  for (uint i = 1u; i < kPixels; ++i) isFlat = isFlat && colors[i] == colors[0];
  if (isFlat) return flatBlock(colors[0]);
  const ivec2 codes = endpoints(colors);
  const int firstCode = max(codes.x, codes.y);
  const int secondCode = min(codes.x, codes.y);
  const uint word = uint(firstCode) | uint(secondCode) << 16;
  if (firstCode == secondCode) return uvec2(word, 0u);
  const ivec3 second = expanded(secondCode);
  const ivec3 axis = expanded(firstCode) - second;
  const int len = axis.x * axis.x + axis.y * axis.y + axis.z * axis.z;
  uint indices = 0u;
  for (uint i = 0u; i < kPixels; ++i) {
    const ivec3 parts = 6 * (colors[i] - second) * axis;
    const int along = parts.x + parts.y + parts.z;
    const uint index = (along >= 3 * len ? 0u : 1u) | (along >= len && along < 5 * len ? 2u : 0u);
    indices |= index << (2u * i);
  }
  return uvec2(word, indices);
}

void main() {
  const uint blocks = (job.width + 3u) / 4u;
  const uint block = gl_GlobalInvocationID.x;
  const uint row = gl_GlobalInvocationID.y;
  if (block >= blocks) return;
  ivec3 colors[kPixels];
  for (uint i = 0u; i < kPixels; ++i) {
    const uint x = min(4u * block + (i & 3u), job.width - 1u);
    const uint y = min(4u * row + i / 4u, job.height - 1u);
    colors[i] = colorOf(blueFirst(pixels[pixelPlace(x, y)]));
  }
  const uvec2 words = encoded(colors);
  const uint at = 2u * (row * blocks + block);
  sliceWords[at] = words.x;
  sliceWords[at + 1u] = words.y;
}
