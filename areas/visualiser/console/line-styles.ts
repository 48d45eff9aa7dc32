import type { LinkKind } from '../rules.ts'

/** How each kind of line looks, on the map, in its legend and in the picture to take along: told apart without colours, too. */
export const lineStyles: Record<LinkKind, { label: string; dashes: string | undefined; ink: string }> = {
  signed: { label: 'Signed', dashes: undefined, ink: '#868e96' },
  cross: { label: 'Cross-certificate', dashes: '7 4', ink: '#1864ab' },
  successor: { label: 'Successor', dashes: '2 4', ink: '#2b8a3e' },
}
