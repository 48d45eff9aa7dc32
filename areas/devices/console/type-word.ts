// The types that each tenancy begins with, in the person's language; those that somebody has added stand as they were written.

import { t } from '#core/console/text.ts'
import type { firstTypes } from '../rules.ts'

const firstWords: Record<(typeof firstTypes)[number], { label: string }> = {
  Workstation: { label: 'Workstation' },
  Laptop: { label: 'Laptop' },
  Mobile: { label: 'Mobile' },
  Server: { label: 'Server' },
  'Virtual machine': { label: 'Virtual machine' },
  Printer: { label: 'Printer' },
  Network: { label: 'Network' },
  Camera: { label: 'Camera' },
  Controller: { label: 'Controller' },
  Reader: { label: 'Reader' },
  Other: { label: 'Other' },
}

export const typeWord = (name: string): string =>
  Object.hasOwn(firstWords, name) ? t(firstWords[name as keyof typeof firstWords].label) : name
