// Whose name and colour a public page bears: those of the host, until the address that somebody was given has told whose page it is.

import { useEffect } from 'react'
import { create } from 'zustand'

export type PublicBrand = {
  name: string
  bannerColour?: string | undefined
  supportEmail: string
  /** Logo and band in place of the host's, which may be those of another tenancy; undefined leaves the host's. */
  look?: PublicLook | undefined
}

export type PublicLook = {
  icon?: string | undefined
  logoContainsAppName?: boolean | undefined
  bandColour?: string | undefined
  bandText?: string | undefined
}

export const publicBrandStore = create<{ brand: PublicBrand | undefined }>(() => ({ brand: undefined }))

/** For as long as the screen stands. */
export function usePublicBrand(brand: PublicBrand | undefined): void {
  useEffect(() => {
    publicBrandStore.setState({ brand })
    return () => publicBrandStore.setState({ brand: undefined })
  }, [brand])
}
