// What the console knows before it shows anything, from one request: who is signed in, what they may do, how the tenancy looks.

import { create } from 'zustand'
import { satisfies, wholePermission, type Needs, type ViewerPermission } from '#core/contract/permissions.ts'

export type Viewer = {
  id: string
  username: string
  names: { givenName: string; familyName: string }
  emailAddress: string
  permission: ViewerPermission
  /** The tenancy that the viewer works in now. */
  tenantId: string
  tenantName: string
  homeTenantId: string
  /** The tenancies that the viewer may work in. */
  managed: { id: string; name: string; colour?: string }[]
  /** Works in the management tenancy and belongs to it. */
  management?: boolean
}

export type Bootstrap = {
  signedIn: boolean
  viewer?: Viewer
  tenancy: {
    name: string
    bannerColour?: string
    toastTimeout?: number | string
    supportEmail: string
    salesEmail: string
    cmsRequireSelfServiceSecretQuestionsSet?: boolean
    /** Of the host, where its tenancy gave it a look. */
    icon?: string
    logoContainsAppName?: boolean
    bandColour?: string
    bandText?: string
  }
  disclaimer?: string
  version: string
  sessionExpiresAt?: string
  setupNeeded: boolean
}

export type LoadBootstrap = (signal?: AbortSignal) => Promise<Bootstrap>

const defaultSupportEmail = 'support@chancery.example'

/** Where people turn: the tenancy's own address, else the default that the specification wants. */
export const supportAddressOf = (tenancy: Pick<Bootstrap['tenancy'], 'supportEmail'> | undefined): string =>
  tenancy?.supportEmail || defaultSupportEmail

type BootstrapState = { bootstrap: Bootstrap | undefined; load: LoadBootstrap | undefined }

export const bootstrapStore = create<BootstrapState>(() => ({ bootstrap: undefined, load: undefined }))

/** Reads everything again: after sign-in, after a change of tenancy, after the viewer changed their own account. */
export async function refreshBootstrap(): Promise<Bootstrap> {
  const { load } = bootstrapStore.getState()
  if (load === undefined) throw new TypeError('The console was started without a bootstrap loader')
  const { viewer, ...rest } = await load()
  const bootstrap: Bootstrap =
    viewer === undefined ? rest : { ...rest, viewer: { ...viewer, permission: wholePermission(viewer.permission) } }
  bootstrapStore.setState({ bootstrap })
  return bootstrap
}

export function useBootstrap(): Bootstrap {
  const bootstrap = bootstrapStore((state) => state.bootstrap)
  if (bootstrap === undefined) throw new TypeError('The console has not read its bootstrap yet')
  return bootstrap
}

/** The signed-in person; undefined on public screens. */
export const useViewerIfAny = (): Viewer | undefined => bootstrapStore((state) => state.bootstrap?.viewer)

export function useViewer(): Viewer {
  const viewer = useViewerIfAny()
  if (viewer === undefined) throw new TypeError('This screen needs a signed-in person')
  return viewer
}

/** `const may = useMay(); may('certApprovals')`: whether the viewer may make calls with that need. `may(x, 'View')` asks for screens. */
export function useMay(): (needs: Needs, list?: 'api' | 'View' | 'Menu') => boolean {
  const viewer = useViewerIfAny()
  return (needs, list = 'api') => needs === 'public' || (viewer !== undefined && satisfies(viewer.permission[list], needs))
}
