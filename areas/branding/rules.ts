// Decisions about branding, for the server and the console alike. Pure.

import { contrast, parseColour, textContrast } from '#core/contract/colour.ts'

/** The kind by which a domain says that hosts of it have a look of their own. */
export const brandingUse = 'Hosts with a look of their own'

export type Look = { primaryColour: string; secondaryColour: string; tertiaryColour: string }

/** The contrast of the text and the background of the band; undefined where one of the two is missing or no colour. */
export function bandContrast({ secondaryColour, tertiaryColour }: Omit<Look, 'primaryColour'>): number | undefined {
  if (parseColour(secondaryColour) === undefined || parseColour(tertiaryColour) === undefined) return undefined
  return contrast(secondaryColour, tertiaryColour)
}

/** Says why a look cannot be read. The first colour is moved until it can be read in both themes; the two of the band are shown as they are. */
export function lookFault(look: Look): { field: 'secondaryColour' | 'tertiaryColour'; says: string } | undefined {
  const { secondaryColour, tertiaryColour } = look
  if ((secondaryColour === '') !== (tertiaryColour === ''))
    return secondaryColour === ''
      ? { field: 'secondaryColour', says: 'Give the band a background too, or neither' }
      : { field: 'tertiaryColour', says: 'Give the band a text colour too, or neither' }
  const ratio = bandContrast(look)
  return ratio === undefined || ratio >= textContrast
    ? undefined
    : { field: 'tertiaryColour', says: 'Text in this colour cannot be read on the band: it needs a contrast of 4.5 to 1' }
}

/** The longer side of a logo; it is shown at a third of it. */
export const logoEdge = 192
