// The blits of color/blit.h, one rectangle for each row of workgroups. A pixel is one or two words of 32 bits. Channels go
// through the tables of color/channels.h, so every code is converted as on the processor.
#version 450

layout(local_size_x = 64) in;

layout(set = 0, binding = 0) readonly buffer Source { uint source[]; };
layout(set = 0, binding = 1) buffer Destination { uint destination[]; };
layout(set = 0, binding = 2) readonly buffer Parameters { uint parameters[]; };

// blit_shader.cpp has an equal block.
const uint kFill = 1u;
const uint kSameBits = 2u;
const uint kSourceIs8Bytes = 4u;
const uint kDestinationIs8Bytes = 8u;
const uint kSourceHasAlpha = 16u;
const uint kSkipSource = 32u;
const uint kOnlyOver = 64u;
const uint kRotationShift = 8u;
const uint kHeaderWords = 24u;
const uint kRectWords = 5u;
const uint kNoTable = 0xFFFFFFFFu;

uint flags() { return parameters[0]; }
bool has(uint flag) { return (flags() & flag) != 0u; }

uvec2 loadSource(uint at) { return uvec2(source[at], has(kSourceIs8Bytes) ? source[at + 1u] : 0u); }
uvec2 loadDestination(uint at) { return uvec2(destination[at], has(kDestinationIs8Bytes) ? destination[at + 1u] : 0u); }

// A channel never spans both words.
uint field(uvec2 pixel, uint shift, uint mask) {
  return (shift >= 32u ? pixel.y >> (shift - 32u) : pixel.x >> shift) & mask;
}
uvec2 placed(uint code, uint shift) { return shift >= 32u ? uvec2(0u, code << (shift - 32u)) : uvec2(code << shift, 0u); }

uint mapped(uint code, uint table) {
  if (table == kNoTable) return code;
  return (parameters[table + (code >> 1)] >> ((code & 1u) * 16u)) & 0xFFFFu;
}

uvec2 converted(uvec2 pixel) {
  uvec2 result = uvec2(0u);
  for (uint channel = 0u; channel < 3u; ++channel) {
    const uint code = field(pixel, (parameters[12] >> (channel * 8u)) & 0xFFu, parameters[14]);
    result |= placed(mapped(code, parameters[17]), (parameters[13] >> (channel * 8u)) & 0xFFu);
  }
  const uint alpha = has(kSourceHasAlpha) ? mapped(field(pixel, parameters[12] >> 24, parameters[15]), parameters[18]) : parameters[16];
  return result | placed(alpha, parameters[13] >> 24);
}

bool sameColor(uvec2 pixel) {
  const uvec2 difference = (pixel ^ uvec2(parameters[8], parameters[9])) & uvec2(parameters[10], parameters[11]);
  return difference.x == 0u && difference.y == 0u;
}

uvec2 rotated(uint x, uint y, uint width, uint height) {
  switch ((flags() >> kRotationShift) & 3u) {
    case 1u: return uvec2(y, width - 1u - x);
    case 2u: return uvec2(width - 1u - x, height - 1u - y);
    case 3u: return uvec2(height - 1u - y, x);
    default: return uvec2(x, y);
  }
}

void main() {
  const uint rect = kHeaderWords + gl_WorkGroupID.y * kRectWords;
  const uint left = parameters[rect];
  const uint top = parameters[rect + 1u];
  const uint width = parameters[rect + 2u];
  const uint height = parameters[rect + 3u];
  const uint sourceWords = has(kSourceIs8Bytes) ? 2u : 1u;
  const uint destinationWords = has(kDestinationIs8Bytes) ? 2u : 1u;
  for (uint index = gl_GlobalInvocationID.x; index < width * height; index += gl_NumWorkGroups.x * 64u) {
    const uint x = index % width;
    const uint y = index / width;
    const uvec2 where = rotated(x, y, width, height);
    const uint to = parameters[rect + 4u] + where.y * parameters[5] + where.x * destinationWords;
    uvec2 pixel = uvec2(parameters[8], parameters[9]);
    if (!has(kFill)) {
      const uint fromX = ((2u * (left + x) + 1u) * parameters[3]) / (2u * parameters[6]);
      const uint fromY = ((2u * (top + y) + 1u) * parameters[4]) / (2u * parameters[7]);
      pixel = loadSource(parameters[1] + fromY * parameters[2] + fromX * sourceWords);
      if (has(kSkipSource) && sameColor(pixel)) continue;
      if (has(kOnlyOver) && !sameColor(loadDestination(to))) continue;
      if (!has(kSameBits)) pixel = converted(pixel);
    }
    destination[to] = pixel.x;
    if (has(kDestinationIs8Bytes)) destination[to + 1u] = pixel.y;
  }
}
