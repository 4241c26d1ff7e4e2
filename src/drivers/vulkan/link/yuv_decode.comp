// color::DecodeYuv420: samples back to pixels.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "yuv.glsl"

layout(set = 0, binding = 0) readonly buffer Planes { uint samples[]; };
layout(set = 0, binding = 1) writeonly buffer Picture { uint pixels[]; };

int byteAt(uint plane, uint pitch, uint x, uint y) {
  return int((samples[plane + y * pitch + x / 4u] >> (8u * (x & 3u))) & 255u);
}

ivec2 chromaAt(uint x, uint y) {
  if (has(kThreePlanes)) return ivec2(byteAt(job.uPlane, job.chromaPitch, x, y), byteAt(job.vPlane, job.chromaPitch, x, y));
  return ivec2(byteAt(job.uPlane, job.chromaPitch, 2u * x, y), byteAt(job.uPlane, job.chromaPitch, 2u * x + 1u, y));
}

// The farther one of the two chroma samples around pixel `at`.
uint further(uint at, uint count) {
  const uint nearer = at / 2u;
  if (!has(kBilinear)) return nearer;
  return (at & 1u) != 0u ? min(nearer + 1u, count - 1u) : nearer - min(nearer, 1u);
}

// Red, green, blue: one rounded term for each is added to luma.
ivec3 byTerms(int y, ivec2 chroma) {
  const ivec2 c = (chroma - 128) * 256;
  return y + ivec3(roundShift(c.y * job.weights[0], 22), roundShift(c.x * job.weights[2] + c.y * job.weights[3], 23),
                   roundShift(c.x * job.weights[1], 22));
}

ivec3 bySums(int y, uvec2 at) {
  const uvec2 near = at / 2u;
  const uvec2 far = uvec2(further(at.x, chromaWidth()), further(at.y, chromaHeight()));
  const ivec2 nearColumn = 3 * chromaAt(near.x, near.y) + chromaAt(near.x, far.y);
  const ivec2 farColumn = 3 * chromaAt(far.x, near.y) + chromaAt(far.x, far.y);
  const ivec2 c = 3 * nearColumn + farColumn - 16 * 128;
  const int base = (y - job.weights[0]) * job.weights[1];
  return ivec3(roundShift(base + c.y * job.weights[2], 20), roundShift(base + c.x * job.weights[4] + c.y * job.weights[5], 20),
               roundShift(base + c.x * job.weights[3], 20));
}

void main() {
  const uint left = gl_GlobalInvocationID.x * kBlockWidth;
  const uint top = gl_GlobalInvocationID.y * kBlockHeight;
  for (uint y = top; y < min(top + kBlockHeight, job.height); ++y) {
    for (uint x = left; x < min(left + kBlockWidth, job.width); ++x) {
      const int luma = byteAt(job.yPlane, job.yPitch, x, y);
      const ivec3 color = has(kByTerms) ? byTerms(luma, chromaAt(x / 2u, y / 2u)) : bySums(luma, uvec2(x, y));
      const uvec3 bytes = uvec3(clamp(has(kRedFirst) ? color : color.zyx, 0, 255));
      pixels[pixelPlace(x, y)] = bytes.x | (bytes.y << 8) | (bytes.z << 16) | 0xFF000000u;
    }
  }
}
