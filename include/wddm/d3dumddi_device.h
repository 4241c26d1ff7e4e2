// The user-mode driver interface of Direct3D 9, as far as a display adapter needs it: adapter, device, resources, copies and
// presents. Part of d3dumddi.h.
#pragma once

#include "d3dumddi.h"

// Versions of this interface, d3dukmdt.h. DriverVersion selects how much of D3DDDI_DEVICEFUNCS is valid.
#define D3D_UMD_INTERFACE_VERSION_VISTA 0x000C
#define D3D_UMD_INTERFACE_VERSION_WIN7 0x2003
#define D3D_UMD_INTERFACE_VERSION_WIN8 0x3004
#define D3D_UMD_INTERFACE_VERSION_WDDM1_3 0x4002

// D3DDDIARG_SETDISPLAYMODE, d3dumddi.h.
typedef struct _D3DDDIARG_SETDISPLAYMODE {
  HANDLE hResource;
  UINT SubResourceIndex;
} D3DDDIARG_SETDISPLAYMODE;

// D3DDDI_PRESENTFLAGS and D3DDDIARG_PRESENT, d3dumddi.h. hDstResource NULL: unknown until submission.
typedef struct _D3DDDI_PRESENTFLAGS {
  union {
    struct {
      UINT Blt : 1;        // 0x00000001
      UINT ColorFill : 1;  // 0x00000002
      UINT Flip : 1;       // 0x00000004
      UINT Reserved : 29;
    };
    UINT Value;
  };
} D3DDDI_PRESENTFLAGS;

typedef struct _D3DDDIARG_PRESENT {
  HANDLE hSrcResource;
  UINT SrcSubResourceIndex;
  HANDLE hDstResource;
  UINT DstSubResourceIndex;
  D3DDDI_PRESENTFLAGS Flags;
  D3DDDI_FLIPINTERVAL_TYPE FlipInterval;
} D3DDDIARG_PRESENT;

// D3DDDI_BLTFLAGS and D3DDDIARG_BLT, d3dumddi.h.
typedef struct _D3DDDI_BLTFLAGS {
  union {
    struct {
      UINT Point : 1;                 // 0x00000001
      UINT Linear : 1;                // 0x00000002
      UINT SrcColorKey : 1;           // 0x00000004
      UINT DstColorKey : 1;           // 0x00000008
      UINT MirrorLeftRight : 1;       // 0x00000010
      UINT MirrorUpDown : 1;          // 0x00000020
      UINT LinearToSrgb : 1;          // 0x00000040
      UINT Rotate : 1;                // 0x00000080
      UINT BeginPresentToDwm : 1;     // 0x00000100
      UINT ContinuePresentToDwm : 1;  // 0x00000200
      UINT EndPresentToDwm : 1;       // 0x00000400
      UINT Discard : 1;               // 0x00000800
      UINT NoOverwrite : 1;           // 0x00001000
      UINT Tileable : 1;              // 0x00002000
      UINT Reserved : 18;
    };
    UINT Value;
  };
} D3DDDI_BLTFLAGS;

typedef struct _D3DDDIARG_BLT {
  HANDLE hSrcResource;
  UINT SrcSubResourceIndex;
  RECT SrcRect;
  HANDLE hDstResource;
  UINT DstSubResourceIndex;
  RECT DstRect;
  UINT ColorKey;
  D3DDDI_BLTFLAGS Flags;
} D3DDDIARG_BLT;

// D3DDDI_OPENRESOURCEFLAGS and D3DDDIARG_OPENRESOURCE, d3dumddi.h. hResource is the runtime's handle on input, the driver's on
// output.
typedef struct _D3DDDI_OPENRESOURCEFLAGS {
  union {
    struct {
      UINT Fullscreen : 1;     // 0x00000001
      UINT AlphaOverride : 1;  // 0x00000002
      UINT Reserved : 30;
    };
    UINT Value;
  };
} D3DDDI_OPENRESOURCEFLAGS;

typedef struct _D3DDDIARG_OPENRESOURCE {
  UINT NumAllocations;
  union {
    D3DDDI_OPENALLOCATIONINFO* pOpenAllocationInfo;
    D3DDDI_OPENALLOCATIONINFO2* pOpenAllocationInfo2;
  };
  D3DKMT_HANDLE hKMResource;
  VOID* pPrivateDriverData;
  UINT PrivateDriverDataSize;
  HANDLE hResource;
  D3DDDI_ROTATION Rotation;
  D3DDDI_OPENRESOURCEFLAGS Flags;
} D3DDDIARG_OPENRESOURCE;

typedef HRESULT(APIENTRY* PFND3DDDI_CREATERESOURCE)(HANDLE hDevice, D3DDDIARG_CREATERESOURCE*);
typedef HRESULT(APIENTRY* PFND3DDDI_CREATERESOURCE2)(HANDLE hDevice, D3DDDIARG_CREATERESOURCE2*);
typedef HRESULT(APIENTRY* PFND3DDDI_OPENRESOURCE)(HANDLE hDevice, D3DDDIARG_OPENRESOURCE*);
typedef HRESULT(APIENTRY* PFND3DDDI_DESTROYRESOURCE)(HANDLE hDevice, HANDLE hResource);
typedef HRESULT(APIENTRY* PFND3DDDI_SETDISPLAYMODE)(HANDLE hDevice, CONST D3DDDIARG_SETDISPLAYMODE*);
typedef HRESULT(APIENTRY* PFND3DDDI_PRESENT)(HANDLE hDevice, CONST D3DDDIARG_PRESENT*);
typedef HRESULT(APIENTRY* PFND3DDDI_FLUSH)(HANDLE hDevice);
typedef HRESULT(APIENTRY* PFND3DDDI_BLT)(HANDLE hDevice, CONST D3DDDIARG_BLT*);
typedef HRESULT(APIENTRY* PFND3DDDI_DESTROYDEVICE)(HANDLE hDevice);

// D3DDDI_DEVICEFUNCS, d3dumddi.h. Slots without a type here are PVOID.
typedef struct _D3DDDI_DEVICEFUNCS {
  PVOID pfnSetRenderState;
  PVOID pfnUpdateWInfo;
  PVOID pfnValidateDevice;
  PVOID pfnSetTextureStageState;
  PVOID pfnSetTexture;
  PVOID pfnSetPixelShader;
  PVOID pfnSetPixelShaderConst;
  PVOID pfnSetStreamSourceUm;
  PVOID pfnSetIndices;
  PVOID pfnSetIndicesUm;
  PVOID pfnDrawPrimitive;
  PVOID pfnDrawIndexedPrimitive;
  PVOID pfnDrawRectPatch;
  PVOID pfnDrawTriPatch;
  PVOID pfnDrawPrimitive2;
  PVOID pfnDrawIndexedPrimitive2;
  PVOID pfnVolBlt;
  PVOID pfnBufBlt;
  PVOID pfnTexBlt;
  PVOID pfnStateSet;
  PVOID pfnSetPriority;
  PVOID pfnClear;
  PVOID pfnUpdatePalette;
  PVOID pfnSetPalette;
  PVOID pfnSetVertexShaderConst;
  PVOID pfnMultiplyTransform;
  PVOID pfnSetTransform;
  PVOID pfnSetViewport;
  PVOID pfnSetZRange;
  PVOID pfnSetMaterial;
  PVOID pfnSetLight;
  PVOID pfnCreateLight;
  PVOID pfnDestroyLight;
  PVOID pfnSetClipPlane;
  PVOID pfnGetInfo;
  PVOID pfnLock;
  PVOID pfnUnlock;
  PFND3DDDI_CREATERESOURCE pfnCreateResource;
  PFND3DDDI_DESTROYRESOURCE pfnDestroyResource;
  PFND3DDDI_SETDISPLAYMODE pfnSetDisplayMode;
  PFND3DDDI_PRESENT pfnPresent;
  PFND3DDDI_FLUSH pfnFlush;
  PVOID pfnCreateVertexShaderFunc;
  PVOID pfnDeleteVertexShaderFunc;
  PVOID pfnSetVertexShaderFunc;
  PVOID pfnCreateVertexShaderDecl;
  PVOID pfnDeleteVertexShaderDecl;
  PVOID pfnSetVertexShaderDecl;
  PVOID pfnSetVertexShaderConstI;
  PVOID pfnSetVertexShaderConstB;
  PVOID pfnSetScissorRect;
  PVOID pfnSetStreamSource;
  PVOID pfnSetStreamSourceFreq;
  PVOID pfnSetConvolutionKernelMono;
  PVOID pfnComposeRects;
  PFND3DDDI_BLT pfnBlt;
  PVOID pfnColorFill;
  PVOID pfnDepthFill;
  PVOID pfnCreateQuery;
  PVOID pfnDestroyQuery;
  PVOID pfnIssueQuery;
  PVOID pfnGetQueryData;
  PVOID pfnSetRenderTarget;
  PVOID pfnSetDepthStencil;
  PVOID pfnGenerateMipSubLevels;
  PVOID pfnSetPixelShaderConstI;
  PVOID pfnSetPixelShaderConstB;
  PVOID pfnCreatePixelShader;
  PVOID pfnDeletePixelShader;
  PVOID pfnCreateDecodeDevice;
  PVOID pfnDestroyDecodeDevice;
  PVOID pfnSetDecodeRenderTarget;
  PVOID pfnDecodeBeginFrame;
  PVOID pfnDecodeEndFrame;
  PVOID pfnDecodeExecute;
  PVOID pfnDecodeExtensionExecute;
  PVOID pfnCreateVideoProcessDevice;
  PVOID pfnDestroyVideoProcessDevice;
  PVOID pfnVideoProcessBeginFrame;
  PVOID pfnVideoProcessEndFrame;
  PVOID pfnSetVideoProcessRenderTarget;
  PVOID pfnVideoProcessBlt;
  PVOID pfnCreateExtensionDevice;
  PVOID pfnDestroyExtensionDevice;
  PVOID pfnExtensionExecute;
  PVOID pfnCreateOverlay;
  PVOID pfnUpdateOverlay;
  PVOID pfnFlipOverlay;
  PVOID pfnGetOverlayColorControls;
  PVOID pfnSetOverlayColorControls;
  PVOID pfnDestroyOverlay;
  PFND3DDDI_DESTROYDEVICE pfnDestroyDevice;
  PVOID pfnQueryResourceResidency;
  PFND3DDDI_OPENRESOURCE pfnOpenResource;
  PVOID pfnGetCaptureAllocationHandle;
  PVOID pfnCaptureToSysMem;
  PVOID pfnLockAsync;
  PVOID pfnUnlockAsync;
  PVOID pfnRename;
  PVOID pfnCreateVideoProcessor;
  PVOID pfnSetVideoProcessBltState;
  PVOID pfnGetVideoProcessBltStatePrivate;
  PVOID pfnSetVideoProcessStreamState;
  PVOID pfnGetVideoProcessStreamStatePrivate;
  PVOID pfnVideoProcessBltHD;
  PVOID pfnDestroyVideoProcessor;
  PVOID pfnCreateAuthenticatedChannel;
  PVOID pfnAuthenticatedChannelKeyExchange;
  PVOID pfnQueryAuthenticatedChannel;
  PVOID pfnConfigureAuthenticatedChannel;
  PVOID pfnDestroyAuthenticatedChannel;
  PVOID pfnCreateCryptoSession;
  PVOID pfnCryptoSessionKeyExchange;
  PVOID pfnDestroyCryptoSession;
  PVOID pfnEncryptionBlt;
  PVOID pfnGetPitch;
  PVOID pfnStartSessionKeyRefresh;
  PVOID pfnFinishSessionKeyRefresh;
  PVOID pfnGetEncryptionBltKey;
  PVOID pfnDecryptionBlt;
  PVOID pfnResolveSharedResource;
  PVOID pfnVolBlt1;
  PVOID pfnBufBlt1;
  PVOID pfnTexBlt1;
  PVOID pfnDiscard;
  PVOID pfnOfferResources;
  PVOID pfnReclaimResources;
  PVOID pfnCheckDirectFlipSupport;
  PFND3DDDI_CREATERESOURCE2 pfnCreateResource2;
  PVOID pfnCheckMultiPlaneOverlaySupport;
  PVOID pfnPresentMultiPlaneOverlay;
  PVOID pfnReserved1;
  PVOID pfnFlush1;
  PVOID pfnCheckCounterInfo;
  PVOID pfnCheckCounter;
  PVOID pfnUpdateSubresourceUP;
  PVOID pfnPresent1;
  PVOID pfnCheckPresentDurationSupport;
  PVOID pfnSetMarker;
  PVOID pfnSetMarkerMode;
  PVOID pfnTrimResidencySet;
  PVOID pfnAcquireResource;
  PVOID pfnReleaseResource;
} D3DDDI_DEVICEFUNCS;

#include "d3dumddi_adapter.h"
