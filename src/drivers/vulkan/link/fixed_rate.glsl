// Shared by the shaders of fixed-size encodings: the job and the position of pixels. Slices follow each other in words; the
// first row begins at a word's first byte.

#include "turned_place.glsl"

layout(local_size_x = 64) in;

// fixed_rate_shader.cpp has an equal block. Positions and pitches are in words of 32 bits.
layout(push_constant) uniform Job {
  uint width;
  uint height;
  uint picture;
  uint picturePitch;
  uint rowBytes;  // bytes of a row of pixels, or of blocks, in the slice
  uint redFirst;
  uint bits;  // bits of a pixel outside blocks
  uint rotation;
} job;

uint pixelPlace(uint x, uint y) {
  const uvec2 where = turnedPlace(uvec2(x, y), uvec2(job.width, job.height), job.rotation);
  return job.picture + where.y * job.picturePitch + where.x;
}

// Swaps red and blue.
uint swapped(uint pixel) { return (pixel & 0xFF00FF00u) | ((pixel >> 16) & 255u) | ((pixel & 255u) << 16); }
uint blueFirst(uint pixel) { return job.redFirst != 0u ? swapped(pixel) : pixel; }
