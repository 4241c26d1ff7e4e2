// Last step of an encoding: writes entries and bytes to their places in the zeroed slice. A workgroup takes 64 tiles of a row.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "tile_encode.glsl"

layout(local_size_x = 64) in;

layout(set = 0, binding = 0) readonly buffer Records { uint records[]; };
layout(set = 0, binding = 1) buffer Slice { uint sliceWords[]; };

shared uint sums[kTiles];

// Neighbours share words.
void place(uint at, uint word) {
  const uint shift = 8u * (at & 3u);
  atomicOr(sliceWords[job.slice + at / 4u], word << shift);
  if (shift != 0u && word >> (32u - shift) != 0u) atomicOr(sliceWords[job.slice + at / 4u + 1u], word >> (32u - shift));
}

void main() {
  const uint local = gl_LocalInvocationID.x;
  const uint row = gl_WorkGroupID.y;
  const uint table = job.slice + kHeaderBytes / 4u;
  if (sliceWords[table + row] == 0u) return;  // equal in the whole workgroup
  uint sum = 0u;
  for (uint other = local; other < row; other += kTiles) sum += sliceWords[table + other];
  sums[local] = sum;
  for (uint step = kTiles / 2u; step != 0u; step /= 2u) {
    barrier();
    if (local < step) sums[local] += sums[local + step];
  }
  barrier();
  const uint rowPlace = kHeaderBytes + 4u * job.rowCount + sums[0];
  const uint tile = gl_GlobalInvocationID.x;
  if (tile >= tilesAcross()) return;
  const uint record = recordOf(row, tile);
  const uint entry = records[record] & 255u;
  if (entry == kUnchanged) return;
  const bool repeated = records[record + 1u] >> 31 != 0u;
  place(rowPlace + tile, repeated ? kRepeated : entry);
  if (repeated) return;
  const uint at = rowPlace + tilesAcross() + records[record + 1u];
  const uint bytes = records[record] >> 8;
  for (uint i = 0u; i < bytes; i += 4u) place(at + i, records[record + kRecordBytes + i / 4u]);
}
