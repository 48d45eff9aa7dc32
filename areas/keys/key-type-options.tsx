// The kinds of key that can be made here, as a select offers them: in four groups, with the one that most people take.

import type { Option } from '#core/console/kit/fields.tsx'
import { t } from '#core/console/text.ts'
import { keyAlgorithms, type KeyAlgorithm } from './rules.ts'

const recommended: KeyAlgorithm = 'P-256'

function groupOf(name: KeyAlgorithm): string {
  const { family, clients } = keyAlgorithms[name]
  if (family === 'RSA') return t('RSA')
  if (clients !== 'postQuantum') return t('Elliptic curves')
  return family.startsWith('ML-') ? t('Post-quantum by lattices') : t('Post-quantum by hashes')
}

export const keyTypeOptions = (names: readonly KeyAlgorithm[]): Option<KeyAlgorithm>[] =>
  names.map((value) => ({
    value,
    label: value === recommended ? t('{label} (recommended)', { label: keyAlgorithms[value].label }) : keyAlgorithms[value].label,
    group: groupOf(value),
  }))
