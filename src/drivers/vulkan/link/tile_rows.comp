// Second step of an encoding: finds tiles that repeat the last tile sent before them. It also computes the position of each
// tile's bytes in its row, and the row's size. A workgroup takes a row.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "tile_encode.glsl"

layout(local_size_x = 64) in;

layout(set = 0, binding = 0) buffer Records { uint records[]; };
layout(set = 0, binding = 1) buffer Slice { uint sliceWords[]; };

shared uint sums[kTiles];
shared uint lasts[kTiles];

void scan(uint local, uint sum, uint last) {
  sums[local] = sum;
  lasts[local] = last;
  for (uint step = 1u; step < kTiles; step *= 2u) {
    barrier();
    const uint otherSum = local >= step ? sums[local - step] : 0u;
    const uint otherLast = local >= step ? lasts[local - step] : 0u;
    barrier();
    sums[local] += otherSum;
    lasts[local] = max(lasts[local], otherLast);
  }
  barrier();
}

// A repeated tile has the bytes of the tile sent, so a comparison with the last changed tile gives an equal result.
bool sameBytes(uint a, uint b) {
  if (records[a] != records[b]) return false;
  const uint words = ((records[a] >> 8) + 3u) / 4u;
  for (uint i = 0u; i < words; ++i) {
    if (records[a + kRecordBytes + i] != records[b + kRecordBytes + i]) return false;
  }
  return true;
}

void main() {
  const uint local = gl_LocalInvocationID.x;
  const uint row = gl_WorkGroupID.x;
  const uint tiles = tilesAcross();
  uint sum = 0u;
  uint last = 0u;  // 1 + the last tile that changed; 0: none
  for (uint first = 0u; first < tiles; first += kTiles) {
    const uint tile = first + local;
    const bool there = tile < tiles;
    const uint record = recordOf(row, there ? tile : 0u);
    const bool changed = there && (records[record] & 255u) != kUnchanged;
    scan(local, 0u, changed ? tile + 1u : 0u);
    const uint before = max(local == 0u ? 0u : lasts[local - 1u], last);
    const uint lastOfAll = max(lasts[kTiles - 1u], last);
    const bool repeated = changed && before != 0u && sameBytes(record, recordOf(row, before - 1u));
    const uint bytes = changed && !repeated ? records[record] >> 8 : 0u;
    barrier();
    scan(local, bytes, 0u);
    // The entry to write; comparisons still use the record's own.
    if (there) records[record + 1u] = (sum + sums[local] - bytes) | (repeated ? 0x80000000u : 0u);
    sum += sums[kTiles - 1u];
    last = lastOfAll;
    barrier();
  }
  if (local == 0u) sliceWords[job.slice + kHeaderBytes / 4u + row] = last == 0u ? 0u : tiles + sum;
}
