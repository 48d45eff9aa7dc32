// The kinds of key in four groups, each with the one that a template usually allows.

import type { OptionGroup } from '#core/console/kit/fields.tsx'
import { t } from '#core/console/text.ts'
import { keyKinds, type KeyKindName } from '../rules.ts'

type Group = 'rsa' | 'curve' | 'signature' | 'exchange'

/** A type that is not here does not compile. */
const groupOf: Record<(typeof keyKinds)[KeyKindName]['type'], Group> = {
  RSA: 'rsa',
  EC_NIST: 'curve',
  EC_SECG: 'curve',
  EC_BRAINPOOL: 'curve',
  ED25519: 'curve',
  ED448: 'curve',
  X25519: 'curve',
  X448: 'curve',
  ML_DSA: 'signature',
  SLH_DSA: 'signature',
  ML_KEM: 'exchange',
}

const kinds = Object.keys(keyKinds) as KeyKindName[]

export function keyGroups(): OptionGroup<KeyKindName>[] {
  const group = (label: string, recommended: KeyKindName, wanted: Group): OptionGroup<KeyKindName> => ({
    label,
    recommended,
    options: kinds.filter((name) => groupOf[keyKinds[name].type] === wanted).map((value) => ({ value, label: keyKinds[value].label })),
  })
  return [
    group(t('RSA'), 'RSA-3072', 'rsa'),
    group(t('Elliptic curves'), 'P-256', 'curve'),
    group(t('Post-quantum signatures'), 'ML-DSA-65', 'signature'),
    group(t('Post-quantum key exchange'), 'ML-KEM-768', 'exchange'),
  ]
}
