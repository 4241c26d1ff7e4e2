// What the three shaders of an encoding share: the job, and the records that the first one leaves for the others.

// tile_encode_shader.cpp writes the same. Places and pitches are in words of 32 bits.
layout(push_constant) uniform Job {
  uint width;
  uint height;
  uint firstRow;
  uint rowCount;
  uint channels;
  uint frame;
  uint framePitch;
  uint reference;
  uint referencePitch;
  uint flags;
  uint slice;
} job;

const uint kHasReference = 1u;
const uint kRedFirst = 2u;

const uint kTiles = 64u;
const uint kHeaderBytes = 48u;
const uint kUnchanged = 0u;
const uint kRepeated = 1u;
const uint kRaw = 2u;
const uint kPalette = 3u;
const uint kPredicted = 18u;

// Of a tile: its entry and, from bit 8 on, how many bytes it has; where they go in their row; and the bytes.
const uint kRecordWords = 66u;
const uint kRecordBytes = 2u;

uint tilesAcross() { return (job.width + 7u) / 8u; }
uint recordOf(uint row, uint tile) { return (row * tilesAcross() + tile) * kRecordWords; }
