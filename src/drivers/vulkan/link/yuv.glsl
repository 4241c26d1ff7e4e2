// Shared by the shaders of color/yuv.h: the job and the positions of pixels and samples. One invocation works on 8 x 2 pixels,
// so that it alone writes the words of their samples.

#include "turned_place.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

// yuv_shader.cpp has an equal block. Positions and pitches are in words of 32 bits.
layout(push_constant) uniform Job {
  uint width;
  uint height;
  uint flags;
  uint picture;
  uint picturePitch;
  uint yPlane;
  uint uPlane;
  uint vPlane;
  uint yPitch;
  uint chromaPitch;
  int weights[10];
} job;

const uint kThreePlanes = 1u;  // otherwise NV12
const uint kRedFirst = 2u;
const uint kBilinear = 4u;
const uint kByTerms = 8u;
const uint kWritesY = 16u;
const uint kWritesU = 32u;
const uint kWritesV = 64u;
const uint kRotationShift = 8u;

const uint kBlockWidth = 8u;
const uint kBlockHeight = 2u;

bool has(uint flag) { return (job.flags & flag) != 0u; }

uint chromaWidth() { return (job.width + 1u) / 2u; }
uint chromaHeight() { return (job.height + 1u) / 2u; }

uint pixelPlace(uint x, uint y) {
  const uvec2 where = turnedPlace(uvec2(x, y), uvec2(job.width, job.height), (job.flags >> kRotationShift) & 3u);
  return job.picture + where.y * job.picturePitch + where.x;
}

// Rounds halves up.
int roundShift(int value, int shift) { return (value + (1 << (shift - 1))) >> shift; }

uint toByte(int value) { return uint(clamp(value, 0, 255)); }
