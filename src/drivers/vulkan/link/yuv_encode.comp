// color::EncodeYuv420: the samples of a picture, all of them or those of one plane. Bytes after a row's last sample in its word
// become 0.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "yuv.glsl"

layout(set = 0, binding = 0) readonly buffer Picture { uint pixels[]; };
layout(set = 0, binding = 1) buffer Planes { uint samples[]; };

// Blue, green, red. The last pixel repeats beyond the edge.
ivec3 pixelAt(uint x, uint y) {
  const uint word = pixels[pixelPlace(min(x, job.width - 1u), min(y, job.height - 1u))];
  const ivec3 bytes = ivec3(word & 255u, (word >> 8) & 255u, (word >> 16) & 255u);
  return has(kRedFirst) ? bytes.zyx : bytes;
}

uint luma(ivec3 pixel) {
  const int blueGreen = pixel.x * job.weights[0] + pixel.y * job.weights[1];
  const int red = pixel.z * job.weights[2];
  return toByte(job.weights[5] + roundShift(blueGreen * job.weights[3] + red * job.weights[4], 21));
}

void writeLuma(uint left, uint top) {
  for (uint y = top; y < min(top + kBlockHeight, job.height); ++y) {
    for (uint x = left; x < min(left + kBlockWidth, job.width); x += 4u) {
      uint word = 0u;
      for (uint i = 0u; i < 4u; ++i) {
        if (x + i < job.width) word |= luma(pixelAt(x + i, y)) << (8u * i);
      }
      samples[job.yPlane + y * job.yPitch + x / 4u] = word;
    }
  }
}

// U and V of one chroma sample.
uvec2 chroma(uint x, uint y) {
  const ivec3 sum = pixelAt(2u * x, 2u * y) + pixelAt(2u * x + 1u, 2u * y) + pixelAt(2u * x, 2u * y + 1u) +
                    pixelAt(2u * x + 1u, 2u * y + 1u);
  const int blue = sum.x - sum.y;
  const int red = sum.z - sum.y;
  return uvec2(toByte(128 + roundShift(32 * (blue * job.weights[6] + red * job.weights[7]), 22)),
               toByte(128 + roundShift(32 * (blue * job.weights[8] + red * job.weights[9]), 22)));
}

void main() {
  const uint left = gl_GlobalInvocationID.x * kBlockWidth;
  const uint top = gl_GlobalInvocationID.y * kBlockHeight;
  if (left >= job.width || top >= job.height) return;
  if (has(kWritesY)) writeLuma(left, top);
  if (!has(kWritesU) && !has(kWritesV)) return;
  uvec2 planes = uvec2(0u);  // four samples of U and of V
  uvec2 pairs = uvec2(0u);  // samples 0 and 1, then 2 and 3, with U and V interleaved
  for (uint i = 0u; i < 4u; ++i) {
    const uint x = left / 2u + i;
    if (x >= chromaWidth()) break;
    const uvec2 sampled = chroma(x, top / 2u);
    planes |= sampled << (8u * i);
    pairs[i / 2u] |= (sampled.x | (sampled.y << 8)) << (16u * (i & 1u));
  }
  const uint row = top / 2u * job.chromaPitch;
  if (has(kThreePlanes)) {
    if (has(kWritesU)) samples[job.uPlane + row + left / 8u] = planes.x;
    if (has(kWritesV)) samples[job.vPlane + row + left / 8u] = planes.y;
    return;
  }
  const uint written = (has(kWritesU) ? 0x00FF00FFu : 0u) | (has(kWritesV) ? 0xFF00FF00u : 0u);
  for (uint i = 0u; i < 2u && left / 2u + 2u * i < chromaWidth(); ++i) {
    const uint at = job.uPlane + row + left / 4u + i;
    samples[at] = written == ~0u ? pairs[i] : (samples[at] & ~written) | (pairs[i] & written);
  }
}
