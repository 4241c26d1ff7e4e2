// The VidPN manager's interface, with which a driver reads and fills a VidPN. Part of d3dkmddi.h. Public
// page: "VidPN Objects and Interfaces". Every function runs at PASSIVE_LEVEL, from inside a DDI that got
// the VidPN; an acquired object is released before that DDI returns.
#pragma once

#include "d3dkmddi/vidpn.h"

typedef SIZE_T D3DKMDT_VIDPN_PRESENT_PATH_INDEX;

// DXGK_VIDPNTOPOLOGY_INTERFACE, d3dkmddi.h: the paths from sources to targets.
typedef NTSTATUS(APIENTRY* DXGKDDI_VIDPNTOPOLOGY_GETNUMPATHS)(D3DKMDT_HVIDPNTOPOLOGY hTopology, SIZE_T* pNumPaths);
typedef NTSTATUS(APIENTRY* DXGKDDI_VIDPNTOPOLOGY_GETNUMPATHSFROMSOURCE)(D3DKMDT_HVIDPNTOPOLOGY hTopology,
                                                                        D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId,
                                                                        SIZE_T* pNumPathsFromSource);
typedef NTSTATUS(APIENTRY* DXGKDDI_VIDPNTOPOLOGY_ENUMPATHTARGETSFROMSOURCE)(D3DKMDT_HVIDPNTOPOLOGY hTopology,
                                                                            D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId,
                                                                            D3DKMDT_VIDPN_PRESENT_PATH_INDEX PathIndex,
                                                                            D3DDDI_VIDEO_PRESENT_TARGET_ID* pVidPnTargetId);
typedef NTSTATUS(APIENTRY* DXGKDDI_VIDPNTOPOLOGY_GETPATHSOURCEFROMTARGET)(D3DKMDT_HVIDPNTOPOLOGY hTopology,
                                                                          D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId,
                                                                          D3DDDI_VIDEO_PRESENT_SOURCE_ID* pVidPnSourceId);
typedef NTSTATUS(APIENTRY* DXGKDDI_VIDPNTOPOLOGY_ACQUIREPATHINFO)(D3DKMDT_HVIDPNTOPOLOGY hTopology,
                                                                  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId,
                                                                  D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId,
                                                                  CONST D3DKMDT_VIDPN_PRESENT_PATH** ppPath);
typedef NTSTATUS(APIENTRY* DXGKDDI_VIDPNTOPOLOGY_ACQUIREFIRSTPATHINFO)(D3DKMDT_HVIDPNTOPOLOGY hTopology,
                                                                       CONST D3DKMDT_VIDPN_PRESENT_PATH** ppFirstPath);
typedef NTSTATUS(APIENTRY* DXGKDDI_VIDPNTOPOLOGY_ACQUIRENEXTPATHINFO)(D3DKMDT_HVIDPNTOPOLOGY hTopology,
                                                                      CONST D3DKMDT_VIDPN_PRESENT_PATH* pPath,
                                                                      CONST D3DKMDT_VIDPN_PRESENT_PATH** ppNextPath);
typedef NTSTATUS(APIENTRY* DXGKDDI_VIDPNTOPOLOGY_UPDATEPATHSUPPORTINFO)(D3DKMDT_HVIDPNTOPOLOGY hTopology,
                                                                        CONST D3DKMDT_VIDPN_PRESENT_PATH* pPath);
typedef NTSTATUS(APIENTRY* DXGKDDI_VIDPNTOPOLOGY_RELEASEPATHINFO)(D3DKMDT_HVIDPNTOPOLOGY hTopology,
                                                                  CONST D3DKMDT_VIDPN_PRESENT_PATH* pPath);
typedef NTSTATUS(APIENTRY* DXGKDDI_VIDPNTOPOLOGY_CREATENEWPATHINFO)(D3DKMDT_HVIDPNTOPOLOGY hTopology,
                                                                    D3DKMDT_VIDPN_PRESENT_PATH** ppNewPath);
typedef NTSTATUS(APIENTRY* DXGKDDI_VIDPNTOPOLOGY_ADDPATH)(D3DKMDT_HVIDPNTOPOLOGY hTopology, D3DKMDT_VIDPN_PRESENT_PATH* pPath);
typedef NTSTATUS(APIENTRY* DXGKDDI_VIDPNTOPOLOGY_REMOVEPATH)(D3DKMDT_HVIDPNTOPOLOGY hTopology,
                                                             D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId,
                                                             D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId);

typedef struct _DXGK_VIDPNTOPOLOGY_INTERFACE {
  DXGKDDI_VIDPNTOPOLOGY_GETNUMPATHS pfnGetNumPaths;
  DXGKDDI_VIDPNTOPOLOGY_GETNUMPATHSFROMSOURCE pfnGetNumPathsFromSource;
  DXGKDDI_VIDPNTOPOLOGY_ENUMPATHTARGETSFROMSOURCE pfnEnumPathTargetsFromSource;
  DXGKDDI_VIDPNTOPOLOGY_GETPATHSOURCEFROMTARGET pfnGetPathSourceFromTarget;
  DXGKDDI_VIDPNTOPOLOGY_ACQUIREPATHINFO pfnAcquirePathInfo;
  DXGKDDI_VIDPNTOPOLOGY_ACQUIREFIRSTPATHINFO pfnAcquireFirstPathInfo;
  DXGKDDI_VIDPNTOPOLOGY_ACQUIRENEXTPATHINFO pfnAcquireNextPathInfo;
  DXGKDDI_VIDPNTOPOLOGY_UPDATEPATHSUPPORTINFO pfnUpdatePathSupportInfo;
  DXGKDDI_VIDPNTOPOLOGY_RELEASEPATHINFO pfnReleasePathInfo;
  DXGKDDI_VIDPNTOPOLOGY_CREATENEWPATHINFO pfnCreateNewPathInfo;
  DXGKDDI_VIDPNTOPOLOGY_ADDPATH pfnAddPath;
  DXGKDDI_VIDPNTOPOLOGY_REMOVEPATH pfnRemovePath;
} DXGK_VIDPNTOPOLOGY_INTERFACE;

// DXGK_VIDPNSOURCEMODESET_INTERFACE, d3dkmddi.h: the modes of a source.
typedef NTSTATUS(APIENTRY* DXGKDDI_VIDPNSOURCEMODESET_GETNUMMODES)(D3DKMDT_HVIDPNSOURCEMODESET hModeSet, SIZE_T* pNumModes);
typedef NTSTATUS(APIENTRY* DXGKDDI_VIDPNSOURCEMODESET_ACQUIREFIRSTMODEINFO)(D3DKMDT_HVIDPNSOURCEMODESET hModeSet,
                                                                            CONST D3DKMDT_VIDPN_SOURCE_MODE** ppFirstMode);
typedef NTSTATUS(APIENTRY* DXGKDDI_VIDPNSOURCEMODESET_ACQUIRENEXTMODEINFO)(D3DKMDT_HVIDPNSOURCEMODESET hModeSet,
                                                                           CONST D3DKMDT_VIDPN_SOURCE_MODE* pMode,
                                                                           CONST D3DKMDT_VIDPN_SOURCE_MODE** ppNextMode);
typedef NTSTATUS(APIENTRY* DXGKDDI_VIDPNSOURCEMODESET_ACQUIREPINNEDMODEINFO)(D3DKMDT_HVIDPNSOURCEMODESET hModeSet,
                                                                             CONST D3DKMDT_VIDPN_SOURCE_MODE** ppPinnedMode);
typedef NTSTATUS(APIENTRY* DXGKDDI_VIDPNSOURCEMODESET_RELEASEMODEINFO)(D3DKMDT_HVIDPNSOURCEMODESET hModeSet,
                                                                       CONST D3DKMDT_VIDPN_SOURCE_MODE* pMode);
typedef NTSTATUS(APIENTRY* DXGKDDI_VIDPNSOURCEMODESET_CREATENEWMODEINFO)(D3DKMDT_HVIDPNSOURCEMODESET hModeSet,
                                                                         D3DKMDT_VIDPN_SOURCE_MODE** ppNewMode);
typedef NTSTATUS(APIENTRY* DXGKDDI_VIDPNSOURCEMODESET_ADDMODE)(D3DKMDT_HVIDPNSOURCEMODESET hModeSet,
                                                               D3DKMDT_VIDPN_SOURCE_MODE* pMode);
typedef NTSTATUS(APIENTRY* DXGKDDI_VIDPNSOURCEMODESET_PINMODE)(D3DKMDT_HVIDPNSOURCEMODESET hModeSet,
                                                               D3DKMDT_VIDEO_PRESENT_SOURCE_MODE_ID ModeId);

typedef struct _DXGK_VIDPNSOURCEMODESET_INTERFACE {
  DXGKDDI_VIDPNSOURCEMODESET_GETNUMMODES pfnGetNumModes;
  DXGKDDI_VIDPNSOURCEMODESET_ACQUIREFIRSTMODEINFO pfnAcquireFirstModeInfo;
  DXGKDDI_VIDPNSOURCEMODESET_ACQUIRENEXTMODEINFO pfnAcquireNextModeInfo;
  DXGKDDI_VIDPNSOURCEMODESET_ACQUIREPINNEDMODEINFO pfnAcquirePinnedModeInfo;
  DXGKDDI_VIDPNSOURCEMODESET_RELEASEMODEINFO pfnReleaseModeInfo;
  DXGKDDI_VIDPNSOURCEMODESET_CREATENEWMODEINFO pfnCreateNewModeInfo;
  DXGKDDI_VIDPNSOURCEMODESET_ADDMODE pfnAddMode;
  DXGKDDI_VIDPNSOURCEMODESET_PINMODE pfnPinMode;
} DXGK_VIDPNSOURCEMODESET_INTERFACE;

// DXGK_VIDPNTARGETMODESET_INTERFACE, d3dkmddi.h: the modes of a target.
typedef NTSTATUS(APIENTRY* DXGKDDI_VIDPNTARGETMODESET_GETNUMMODES)(D3DKMDT_HVIDPNTARGETMODESET hModeSet, SIZE_T* pNumModes);
typedef NTSTATUS(APIENTRY* DXGKDDI_VIDPNTARGETMODESET_ACQUIREFIRSTMODEINFO)(D3DKMDT_HVIDPNTARGETMODESET hModeSet,
                                                                            CONST D3DKMDT_VIDPN_TARGET_MODE** ppFirstMode);
typedef NTSTATUS(APIENTRY* DXGKDDI_VIDPNTARGETMODESET_ACQUIRENEXTMODEINFO)(D3DKMDT_HVIDPNTARGETMODESET hModeSet,
                                                                           CONST D3DKMDT_VIDPN_TARGET_MODE* pMode,
                                                                           CONST D3DKMDT_VIDPN_TARGET_MODE** ppNextMode);
typedef NTSTATUS(APIENTRY* DXGKDDI_VIDPNTARGETMODESET_ACQUIREPINNEDMODEINFO)(D3DKMDT_HVIDPNTARGETMODESET hModeSet,
                                                                             CONST D3DKMDT_VIDPN_TARGET_MODE** ppPinnedMode);
typedef NTSTATUS(APIENTRY* DXGKDDI_VIDPNTARGETMODESET_RELEASEMODEINFO)(D3DKMDT_HVIDPNTARGETMODESET hModeSet,
                                                                       CONST D3DKMDT_VIDPN_TARGET_MODE* pMode);
typedef NTSTATUS(APIENTRY* DXGKDDI_VIDPNTARGETMODESET_CREATENEWMODEINFO)(D3DKMDT_HVIDPNTARGETMODESET hModeSet,
                                                                         D3DKMDT_VIDPN_TARGET_MODE** ppNewMode);
typedef NTSTATUS(APIENTRY* DXGKDDI_VIDPNTARGETMODESET_ADDMODE)(D3DKMDT_HVIDPNTARGETMODESET hModeSet,
                                                               D3DKMDT_VIDPN_TARGET_MODE* pMode);
typedef NTSTATUS(APIENTRY* DXGKDDI_VIDPNTARGETMODESET_PINMODE)(D3DKMDT_HVIDPNTARGETMODESET hModeSet,
                                                               D3DKMDT_VIDEO_PRESENT_TARGET_MODE_ID ModeId);

typedef struct _DXGK_VIDPNTARGETMODESET_INTERFACE {
  DXGKDDI_VIDPNTARGETMODESET_GETNUMMODES pfnGetNumModes;
  DXGKDDI_VIDPNTARGETMODESET_ACQUIREFIRSTMODEINFO pfnAcquireFirstModeInfo;
  DXGKDDI_VIDPNTARGETMODESET_ACQUIRENEXTMODEINFO pfnAcquireNextModeInfo;
  DXGKDDI_VIDPNTARGETMODESET_ACQUIREPINNEDMODEINFO pfnAcquirePinnedModeInfo;
  DXGKDDI_VIDPNTARGETMODESET_RELEASEMODEINFO pfnReleaseModeInfo;
  DXGKDDI_VIDPNTARGETMODESET_CREATENEWMODEINFO pfnCreateNewModeInfo;
  DXGKDDI_VIDPNTARGETMODESET_ADDMODE pfnAddMode;
  DXGKDDI_VIDPNTARGETMODESET_PINMODE pfnPinMode;
} DXGK_VIDPNTARGETMODESET_INTERFACE;

// DXGK_VIDPN_INTERFACE_VERSION, d3dkmddi.h.
typedef enum _DXGK_VIDPN_INTERFACE_VERSION WDDM_ENUM {
  DXGK_VIDPN_INTERFACE_VERSION_UNINITIALIZED = 0,
  DXGK_VIDPN_INTERFACE_VERSION_V1 = 1,
} DXGK_VIDPN_INTERFACE_VERSION;

// DXGK_VIDPN_INTERFACE, d3dkmddi.h: a VidPN as a whole.
typedef NTSTATUS(APIENTRY* DXGKDDI_VIDPN_GETTOPOLOGY)(D3DKMDT_HVIDPN hVidPn, D3DKMDT_HVIDPNTOPOLOGY* phTopology,
                                                      CONST DXGK_VIDPNTOPOLOGY_INTERFACE** ppInterface);
typedef NTSTATUS(APIENTRY* DXGKDDI_VIDPN_ACQUIRESOURCEMODESET)(D3DKMDT_HVIDPN hVidPn,
                                                               D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId,
                                                               D3DKMDT_HVIDPNSOURCEMODESET* phModeSet,
                                                               CONST DXGK_VIDPNSOURCEMODESET_INTERFACE** ppInterface);
typedef NTSTATUS(APIENTRY* DXGKDDI_VIDPN_RELEASESOURCEMODESET)(D3DKMDT_HVIDPN hVidPn, D3DKMDT_HVIDPNSOURCEMODESET hModeSet);
typedef NTSTATUS(APIENTRY* DXGKDDI_VIDPN_CREATENEWSOURCEMODESET)(D3DKMDT_HVIDPN hVidPn,
                                                                 D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId,
                                                                 D3DKMDT_HVIDPNSOURCEMODESET* phNewModeSet,
                                                                 CONST DXGK_VIDPNSOURCEMODESET_INTERFACE** ppInterface);
typedef NTSTATUS(APIENTRY* DXGKDDI_VIDPN_ASSIGNSOURCEMODESET)(D3DKMDT_HVIDPN hVidPn, D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId,
                                                              D3DKMDT_HVIDPNSOURCEMODESET hModeSet);
typedef NTSTATUS(APIENTRY* DXGKDDI_VIDPN_ASSIGNMULTISAMPLINGMETHODSET)(D3DKMDT_HVIDPN hVidPn,
                                                                       D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId,
                                                                       SIZE_T NumMethods,
                                                                       CONST D3DDDI_MULTISAMPLINGMETHOD* pSupportedMethodSet);
typedef NTSTATUS(APIENTRY* DXGKDDI_VIDPN_ACQUIRETARGETMODESET)(D3DKMDT_HVIDPN hVidPn,
                                                               D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId,
                                                               D3DKMDT_HVIDPNTARGETMODESET* phModeSet,
                                                               CONST DXGK_VIDPNTARGETMODESET_INTERFACE** ppInterface);
typedef NTSTATUS(APIENTRY* DXGKDDI_VIDPN_RELEASETARGETMODESET)(D3DKMDT_HVIDPN hVidPn, D3DKMDT_HVIDPNTARGETMODESET hModeSet);
typedef NTSTATUS(APIENTRY* DXGKDDI_VIDPN_CREATENEWTARGETMODESET)(D3DKMDT_HVIDPN hVidPn,
                                                                 D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId,
                                                                 D3DKMDT_HVIDPNTARGETMODESET* phNewModeSet,
                                                                 CONST DXGK_VIDPNTARGETMODESET_INTERFACE** ppInterface);
typedef NTSTATUS(APIENTRY* DXGKDDI_VIDPN_ASSIGNTARGETMODESET)(D3DKMDT_HVIDPN hVidPn, D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId,
                                                              D3DKMDT_HVIDPNTARGETMODESET hModeSet);

typedef struct _DXGK_VIDPN_INTERFACE {
  DXGK_VIDPN_INTERFACE_VERSION Version;
  DXGKDDI_VIDPN_GETTOPOLOGY pfnGetTopology;
  DXGKDDI_VIDPN_ACQUIRESOURCEMODESET pfnAcquireSourceModeSet;
  DXGKDDI_VIDPN_RELEASESOURCEMODESET pfnReleaseSourceModeSet;
  DXGKDDI_VIDPN_CREATENEWSOURCEMODESET pfnCreateNewSourceModeSet;
  DXGKDDI_VIDPN_ASSIGNSOURCEMODESET pfnAssignSourceModeSet;
  DXGKDDI_VIDPN_ASSIGNMULTISAMPLINGMETHODSET pfnAssignMultisamplingMethodSet;
  DXGKDDI_VIDPN_ACQUIRETARGETMODESET pfnAcquireTargetModeSet;
  DXGKDDI_VIDPN_RELEASETARGETMODESET pfnReleaseTargetModeSet;
  DXGKDDI_VIDPN_CREATENEWTARGETMODESET pfnCreateNewTargetModeSet;
  DXGKDDI_VIDPN_ASSIGNTARGETMODESET pfnAssignTargetModeSet;
} DXGK_VIDPN_INTERFACE;

// Gives the interface of a VidPN. IRQL <= APC_LEVEL.
typedef NTSTATUS(APIENTRY* DXGKCB_QUERYVIDPNINTERFACE)(D3DKMDT_HVIDPN hVidPn, DXGK_VIDPN_INTERFACE_VERSION Version,
                                                       CONST DXGK_VIDPN_INTERFACE** ppInterface);
