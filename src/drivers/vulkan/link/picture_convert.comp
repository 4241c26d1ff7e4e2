// Converts pixels of more than eight bits to B8G8R8A8 and back, one pixel each, as color/convert.h and codec/packed/rgb10.h do.
#version 450

layout(local_size_x = 64) in;

// picture_convert.cpp has an equal block. Positions and pitches are in words of 32 bits.
layout(push_constant) uniform Job {
  uint width;
  uint from;
  uint fromPitch;
  uint to;
  uint toPitch;
  uint conversion;
} job;

layout(set = 0, binding = 0) readonly buffer From { uint fromWords[]; };
layout(set = 0, binding = 1) writeonly buffer To { uint toWords[]; };
// For half floats: a byte for each code, first for colours, then for alpha.
layout(set = 0, binding = 2) readonly buffer Table { uint table[]; };

const uint kHalfToEight = 0u;
const uint kTenToEight = 1u;

const uint kCodes = 65536u;

uint byteOf(uint code) { return (table[code / 4u] >> (8u * (code & 3u))) & 255u; }

uint ofHalves(uvec2 pixel) {
  const uint red = byteOf(pixel.x & 0xFFFFu);
  const uint green = byteOf(pixel.x >> 16);
  const uint blue = byteOf(pixel.y & 0xFFFFu);
  return blue | green << 8 | red << 16 | byteOf(kCodes + (pixel.y >> 16)) << 24;
}

// Rounds to nearest; ties occur in neither direction.
uint narrowed(uint ten) { return ((ten & 1023u) * 255u + 511u) / 1023u; }
uint widened(uint eight) { return ((eight & 255u) * 1023u + 127u) / 255u; }

uint ofTens(uint pixel) {
  return narrowed(pixel >> 20) | narrowed(pixel >> 10) << 8 | narrowed(pixel) << 16 | (pixel >> 30) * 85u << 24;
}

uint toTens(uint pixel) { return 3u << 30 | widened(pixel >> 16) | widened(pixel >> 8) << 10 | widened(pixel) << 20; }

void main() {
  const uint x = gl_GlobalInvocationID.x;
  const uint y = gl_GlobalInvocationID.y;
  if (x >= job.width) return;
  const uint row = job.from + y * job.fromPitch;
  const uint to = job.to + y * job.toPitch + x;
  switch (job.conversion) {
    case kHalfToEight: toWords[to] = ofHalves(uvec2(fromWords[row + 2u * x], fromWords[row + 2u * x + 1u])); break;
    case kTenToEight: toWords[to] = ofTens(fromWords[row + x]); break;
    default: toWords[to] = toTens(fromWords[row + x]); break;
  }
}
