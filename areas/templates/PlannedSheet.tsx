import type * as z from 'zod'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { Facts } from '#core/console/kit/Section.tsx'
import { t } from '#core/console/text.ts'
import type { PlannedCertificate } from './contract.ts'
import { keyUsages as usageLabels, sanFields } from './rules.ts'

/** `undated`: what is planned is planned for now, and says nothing of the dates of what was issued earlier. */
export function PlannedSheet({ planned, undated = false }: { planned: z.output<typeof PlannedCertificate>; undated?: boolean }) {
  const { issuer, subject, sans, keyUsages, extendedUsages, key, notBefore, notAfter } = planned
  return (
    <Facts
      items={[
        { label: t('Subject'), value: subject },
        ...[...Map.groupBy(sans, ({ sanField }) => sanField)].map(([field, names]) => ({
          label: t(sanFields[field].label),
          value: names.map(({ value }) => value).join(', '),
        })),
        { label: t('Issuer'), value: issuer },
        { label: t('Key'), value: key },
        {
          label: t('Key usages'),
          value: keyUsages
            .map((name) => t(Object.hasOwn(usageLabels, name) ? usageLabels[name as keyof typeof usageLabels] : name))
            .join(', '),
        },
        { label: t('Extended usages'), value: extendedUsages.map((name) => t(name)).join(', ') },
        !undated && { label: t('Valid from'), value: <DateTime at={notBefore} /> },
        !undated && { label: t('Valid until'), value: <DateTime at={notAfter} /> },
      ]}
    />
  )
}
