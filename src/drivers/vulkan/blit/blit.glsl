// The blits of color/blit.h, one rectangle for each row of workgroups. A pixel is one or two words of 32 bits. Channels go
// through the tables of color/channels.h, so every code is converted as on the processor. SOURCE_IS_IMAGE: the source is an
// image of half floats or of R10G10B10A2, whose codes come back from the values that the device reads.

layout(local_size_x = 64) in;

layout(set = 0, binding = 0) buffer Destination { uint destination[]; };
layout(set = 0, binding = 1) readonly buffer Parameters { uint parameters[]; };
#ifdef SOURCE_IS_IMAGE
layout(set = 0, binding = 2) uniform texture2D source;
#else
layout(set = 0, binding = 2) readonly buffer Source { uint source[]; };
#endif

// blit_shader.cpp has an equal block.
const uint kFill = 1u;
const uint kSameBits = 2u;
const uint kSourceIs8Bytes = 4u;
const uint kDestinationIs8Bytes = 8u;
const uint kSourceHasAlpha = 16u;
const uint kSkipSource = 32u;
const uint kOnlyOver = 64u;
const uint kDither = 128u;
const uint kRotationShift = 8u;
const uint kHeaderWords = 24u;
const uint kRectWords = 5u;
const uint kNoTable = 0xFFFFFFFFu;

uint flags() { return parameters[0]; }
bool has(uint flag) { return (flags() & flag) != 0u; }

#ifdef SOURCE_IS_IMAGE
// The code of a half float with this value. packHalf2x16 may flush what is below the least normal number.
uint halfOf(float value) {
  const float magnitude = abs(value);
  const uint sign = (floatBitsToUint(value) >> 16) & 0x8000u;
  if (magnitude < 6.103515625e-5) return sign | uint(round(magnitude * 16777216.0));
  return packHalf2x16(vec2(value, 0.0)) & 0xFFFFu;
}
uvec2 loadSource(uint x, uint y) {
  const vec4 value = texelFetch(source, ivec2(x, y), 0);
  if (has(kSourceIs8Bytes)) return uvec2(halfOf(value.r) | halfOf(value.g) << 16, halfOf(value.b) | halfOf(value.a) << 16);
  const uvec4 code = uvec4(round(value * vec4(1023.0, 1023.0, 1023.0, 3.0)));
  return uvec2(code.r | code.g << 10 | code.b << 20 | code.a << 30, 0u);
}
#else
uvec2 loadSource(uint x, uint y) {
  const uint at = parameters[1] + y * parameters[2] + x * (has(kSourceIs8Bytes) ? 2u : 1u);
  return uvec2(source[at], has(kSourceIs8Bytes) ? source[at + 1u] : 0u);
}
#endif
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

// Threshold of dither.h for a pixel of the destination rectangle.
uint thresholdAt(uint x, uint y) {
  uint rank = 0u;
  for (uint bit = 0u; bit < 3u; ++bit) {
    const uint column = (x >> bit) & 1u;
    const uint row = (y >> bit) & 1u;
    rank = rank << 2 | (column ^ row) << 1 | row;
  }
  return 4u * rank + 2u;
}

uvec2 converted(uvec2 pixel, uint x, uint y) {
  const uint threshold = has(kDither) ? thresholdAt(x, y) : 0u;
  uvec2 result = uvec2(0u);
  for (uint channel = 0u; channel < 3u; ++channel) {
    const uint code = field(pixel, (parameters[12] >> (channel * 8u)) & 0xFFu, parameters[14]);
    const uint value = mapped(code, parameters[17]);
    result |= placed(has(kDither) ? (value + threshold) >> 8 : value, (parameters[13] >> (channel * 8u)) & 0xFFu);
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
#ifdef SOURCE_IS_IMAGE
      pixel = loadSource(parameters[19] + fromX, parameters[20] + fromY);
#else
      pixel = loadSource(fromX, fromY);
#endif
      if (has(kSkipSource) && sameColor(pixel)) continue;
      if (has(kOnlyOver) && !sameColor(loadDestination(to))) continue;
      if (!has(kSameBits)) pixel = converted(pixel, left + x, top + y);
    }
    destination[to] = pixel.x;
    if (has(kDestinationIs8Bytes)) destination[to + 1u] = pixel.y;
  }
}
