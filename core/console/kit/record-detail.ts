// What tells a found record from others of its name, in one line: "On hold · from 1 Jan 2026 · 7f3a 52c1…".

import type { FoundRecord } from '../slots.ts'
import { t } from '../text.ts'
import { mediumDate } from './DateTime.tsx'
import { shortNumber } from './ShortNumber.tsx'
import { statusKinds, type StatusKind } from './status-kinds.ts'

const isStatus = (name: string): name is StatusKind => Object.hasOwn(statusKinds, name)

/** Serial numbers and fingerprints are shown by their beginning. */
const isNumber = (text: string): boolean => /^[0-9a-f]{16,}$/.test(text)

export const recordDetail = ({ status, from, detail }: Pick<FoundRecord, 'status' | 'from' | 'detail'>): string =>
  [
    ...(status !== undefined && isStatus(status) ? [t(statusKinds[status].word)] : []),
    ...(from === undefined ? [] : [t('from {date}', { date: mediumDate(new Date(from), true) })]),
    isNumber(detail) ? shortNumber(detail) : detail,
  ]
    .filter((part) => part !== '')
    .join(' · ')
