// codec::EncodeTileSlice without a budget, first step: encodes each tile by itself into its record. A workgroup encodes 64
// tiles of a row, an invocation one tile. The output equals that of codec/tiles/tile_writer.cpp and of the reference in
// codec/tiles/tile_strip.h.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "tile_encode.glsl"

layout(local_size_x = 64) in;

layout(set = 0, binding = 0) readonly buffer Frame { uint frameWords[]; };
layout(set = 0, binding = 1) readonly buffer Reference { uint referenceWords[]; };
layout(set = 0, binding = 2) writeonly buffer Records { uint records[]; };

const uint kLeft = 0u;
const uint kAbove = 1u;
const uint kPlane = 2u;
const uint kMostExtra = 237u;  // bytes of a predicted tile after its bases

uvec2 planes[4][8];  // rows of the tile's samples in each channel
uint written[68];
uint count = 0u;  // bytes

void append(uvec2 bytes, uint number) {
  const uint word = count / 4u;
  const uint shift = 8u * (count & 3u);
  written[word] |= bytes.x << shift;
  written[word + 1u] |= (bytes.y << shift) | (shift == 0u ? 0u : bytes.x >> (32u - shift));
  written[word + 2u] |= shift == 0u ? 0u : bytes.y >> (32u - shift);
  count += number;
}
void appendByte(uint byte) { append(uvec2(byte, 0u), 1u); }

uvec2 subBytes(uvec2 a, uvec2 b) { return ((a | 0x80808080u) - (b & 0x7F7F7F7Fu)) ^ ((a ^ ~b) & 0x80808080u); }

// Moves each byte up by one place and puts `first` into the first.
uvec2 nextByte(uvec2 v, uint first) { return uvec2((v.x << 8) | first, (v.y << 8) | (v.x >> 24)); }

uint byteOf(uvec2 v, uint i) { return (v[i / 4u] >> (8u * (i & 3u))) & 255u; }

uvec2 transposed(uvec2 v) {
  uvec2 t = (v ^ (v >> 7)) & 0x00AA00AAu;
  v ^= t ^ (t << 7);
  t = (v ^ (v >> 14)) & 0x0000CCCCu;
  v ^= t ^ (t << 14);
  const uint s = (v.x ^ (v.y << 4)) & 0xF0F0F0F0u;
  return uvec2(v.x ^ s, v.y ^ (s >> 4));
}

uvec2 folded(uvec2 v) { return ((v << 1) & 0xFEFEFEFEu) ^ (((v >> 7) & 0x01010101u) * 0xFFu); }

// The size of eight differences.
uint sizeOf(uvec2 v) {
  uint sum = 0u;
  for (uint i = 0u; i < 8u; ++i) {
    const uint byte = byteOf(v, i);
    sum += byte < 128u ? byte : 256u - byte;
  }
  return sum;
}

// Differences of a row from the predictor's values.
uvec2 differencesOf(uint channel, uint y, uint predictor) {
  const uvec2 row = planes[channel][y];
  if (y == 0u) return subBytes(row, nextByte(row, row.x & 255u));
  const uvec2 above = planes[channel][y - 1u];
  if (predictor == kAbove) return subBytes(row, above);
  const uvec2 left = nextByte(row, above.x & 255u);
  if (predictor == kLeft) return subBytes(row, left);
  return subBytes(subBytes(row, above), nextByte(subBytes(row, above), 0u));
}

// Also returns true if the tile differs from the reference.
bool load(uint tile, uint tileRow) {
  bool changed = (job.flags & kHasReference) == 0u;
  for (uint y = 0u; y < 8u; ++y) {
    const uint line = min(8u * tileRow + y, job.height - 1u);
    for (uint c = 0u; c < 4u; ++c) planes[c][y] = uvec2(0u);
    for (uint x = 0u; x < 8u; ++x) {
      const uint column = min(8u * tile + x, job.width - 1u);
      const uint shift = 8u * (x & 3u);
      if (job.channels == 1u) {
        const uint byteShift = 8u * (column & 3u);
        const uint sampled = (frameWords[job.frame + line * job.framePitch + column / 4u] >> byteShift) & 255u;
        planes[0][y][x / 4u] |= sampled << shift;
        if (!changed) changed = ((referenceWords[job.reference + line * job.referencePitch + column / 4u] >> byteShift) & 255u) != sampled;
        continue;
      }
      const uint pixel = frameWords[job.frame + line * job.framePitch + column];
      if (!changed) changed = referenceWords[job.reference + line * job.referencePitch + column] != pixel;
      const uvec3 bytes = uvec3(pixel & 255u, (pixel >> 8) & 255u, (pixel >> 16) & 255u);
      const bool turned = (job.flags & kRedFirst) != 0u;
      planes[0][y][x / 4u] |= bytes.y << shift;
      planes[1][y][x / 4u] |= (((turned ? bytes.z : bytes.x) - bytes.y) & 255u) << shift;
      planes[2][y][x / 4u] |= (((turned ? bytes.x : bytes.z) - bytes.y) & 255u) << shift;
      if (job.channels == 4u) planes[3][y][x / 4u] |= (pixel >> 24) << shift;
    }
  }
  return changed;
}

// Samples every other row.
uint cheapest() {
  uvec3 costs = uvec3(0u);
  for (uint c = 0u; c < job.channels; ++c) {
    for (uint y = 1u; y < 8u; y += 2u) {
      costs += uvec3(sizeOf(differencesOf(c, y, kLeft)), sizeOf(differencesOf(c, y, kAbove)), sizeOf(differencesOf(c, y, kPlane)));
    }
  }
  if (costs.x <= costs.y && costs.x <= costs.z) return kLeft;
  return costs.y <= costs.z ? kAbove : kPlane;
}

// Counts the pixels of these rows that differ from the pixel to their left, or above in the first column.
uint stepsOf() {
  uint steps = 0u;
  for (uint y = 1u; y < 8u; y += 2u) {
    uvec2 any = uvec2(0u);
    for (uint c = 0u; c < job.channels; ++c) any |= differencesOf(c, y, kLeft);
    for (uint x = 0u; x < 8u; ++x) steps += byteOf(any, x) != 0u ? 1u : 0u;
  }
  return steps;
}

uint colorAt(uint x, uint y) {
  uint color = 0u;
  for (uint c = 0u; c < job.channels; ++c) color |= byteOf(planes[c][y], x) << (8u * c);
  return color;
}

uint indexBits(uint colors) { return uint(findMSB(colors - 1u) + 1); }

// Writes the tile with a palette if that takes fewer than `bytes`; returns true if so.
bool wrotePalette(uint bytes) {
  uint most = 0u;
  for (uint colors = 2u; colors <= 16u; ++colors) {
    if (job.channels * colors + 8u * indexBits(colors) < min(bytes, 127u)) most = colors;
  }
  uint colors[16];
  uint size = 0u;
  uvec2 indices[8];  // four bits each
  for (uint y = 0u; y < 8u; ++y) {
    indices[y] = uvec2(0u);
    for (uint x = 0u; x < 8u; ++x) {
      const uint color = colorAt(x, y);
      uint index = 0u;
      while (index < size && colors[index] != color) ++index;
      if (index == most) return false;
      if (index == size) colors[size++] = color;
      indices[y].x |= index << (4u * x);
    }
  }
  if (size < 2u) return false;
  for (uint i = 0u; i < size; ++i) append(uvec2(colors[i], 0u), job.channels);
  for (uint bit = 0u; bit < indexBits(size); ++bit) {
    for (uint y = 0u; y < 8u; ++y) {
      uint byte = 0u;
      for (uint x = 0u; x < 8u; ++x) byte |= ((indices[y].x >> (4u * x + bit)) & 1u) << x;
      appendByte(byte);
    }
  }
  records[recordOf(gl_WorkGroupID.y, gl_GlobalInvocationID.x)] = (kPalette + size - 2u) | (count << 8);
  return true;
}

uint usedBytes(uvec2 v) {
  const uint used = v.y != 0u ? 5u + uint(findMSB(v.y)) / 8u : v.x != 0u ? 1u + uint(findMSB(v.x)) / 8u : 0u;
  return used == 7u ? 8u : used;
}

void main() {
  const uint tile = gl_GlobalInvocationID.x;
  const uint row = gl_WorkGroupID.y;
  if (tile >= tilesAcross()) return;
  const uint record = recordOf(row, tile);
  if (!load(tile, job.firstRow + row)) {
    records[record] = kUnchanged;
    return;
  }
  for (uint i = 0u; i < 68u; ++i) written[i] = 0u;
  const uint predictor = cheapest();
  uvec2 rows[4][8];
  uint widthBits[4];  // width codes as written
  uint bytes = 1u + job.channels;
  uint present = 0u;
  for (uint c = 0u; c < job.channels; ++c) {
    uint sum = 0u;
    widthBits[c] = 0u;
    for (uint y = 0u; y < 8u; ++y) {
      rows[c][y] = transposed(folded(differencesOf(c, y, predictor)));
      const uint used = usedBytes(rows[c][y]);
      const uint told = min(used, 7u);
      widthBits[c] |= ((told & 1u) << y) | (((told >> 1) & 1u) << (8u + y)) | ((told >> 2) << (16u + y));
      sum += used;
    }
    if (sum == 0u) continue;
    present |= 1u << c;
    bytes += sum + 3u;
  }
  bool done = bytes > 28u && stepsOf() <= 20u && wrotePalette(bytes);
  if (!done && (bytes >= 64u * job.channels || bytes > 1u + job.channels + kMostExtra)) {
    for (uint c = 0u; c < job.channels; ++c) {
      for (uint y = 0u; y < 8u; ++y) append(planes[c][y], 8u);
    }
    records[record] = kRaw | (count << 8);
  } else if (!done) {
    appendByte(predictor | (present << 2));
    for (uint c = 0u; c < job.channels; ++c) appendByte(planes[c][0].x & 255u);
    for (uint c = 0u; c < job.channels; ++c) {
      if ((present >> c & 1u) != 0u) append(uvec2(widthBits[c], 0u), 3u);
    }
    for (uint c = 0u; c < job.channels; ++c) {
      if ((present >> c & 1u) == 0u) continue;
      for (uint y = 0u; y < 8u; ++y) append(rows[c][y], usedBytes(rows[c][y]));
    }
    records[record] = (kPredicted + bytes - 1u - job.channels) | (count << 8);
  }
  for (uint i = 0u; i < (count + 3u) / 4u; ++i) records[record + kRecordBytes + i] = written[i];
}
