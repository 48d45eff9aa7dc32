import { useComputedColorScheme } from '@mantine/core'
import { useMemo } from 'react'
import { tenantColours, type TenantColours } from '#core/contract/colour.ts'

/** A tenancy's colour, made readable for the theme that is on. */
export function useTenantColours(colour: string | undefined): TenantColours | undefined {
  const theme = useComputedColorScheme('light')
  return useMemo(() => tenantColours(colour, theme), [colour, theme])
}
