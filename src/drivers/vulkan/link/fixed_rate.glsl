// What the shaders of encodings whose size is the extent's alone share: the job, and where pixels are. Slices follow each other
// in words, the first row's byte is a word's first.

#include "turned_place.glsl"

layout(local_size_x = 64) in;

// fixed_rate_shader.cpp writes the same. Places and pitches are in words of 32 bits.
layout(push_constant) uniform Job {
  uint width;
  uint height;
  uint picture;
  uint picturePitch;
  uint rowBytes;  // of a row of pixels, or of blocks, in the slice
  uint redFirst;
  uint bits;  // of a pixel that is not in a block
  uint rotation;
} job;

uint pixelPlace(uint x, uint y) {
  const uvec2 where = turnedPlace(uvec2(x, y), uvec2(job.width, job.height), job.rotation);
  return job.picture + where.y * job.picturePitch + where.x;
}

// Red for blue.
uint swapped(uint pixel) { return (pixel & 0xFF00FF00u) | ((pixel >> 16) & 255u) | ((pixel & 255u) << 16); }
uint blueFirst(uint pixel) { return job.redFirst != 0u ? swapped(pixel) : pixel; }
