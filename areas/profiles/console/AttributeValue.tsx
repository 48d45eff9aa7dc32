// The value of an attribute as a person reads it, by its kind.

import type { Attribute } from '#areas/users/attributes.ts'
import { DateTime, WithDates } from '#core/console/kit/DateTime.tsx'
import { t } from '#core/console/text.ts'

export function AttributeValue({ attribute: { kind }, value }: { attribute: Attribute; value: string }) {
  if (kind === 'instant') return <DateTime at={value} />
  if (kind === 'date') return <WithDates text={value} />
  if (kind === 'yes') return t('Yes')
  if (kind === 'choices')
    return value
      .split('; ')
      .map((one) => t(one))
      .join(', ')
  return value
}
