// What lint says of a certificate that would be signed, for every preview of one.

import { Alert, Text } from '@mantine/core'
import { t } from '#core/console/text.ts'

export type Remark = { severity: string; code: string; message: string }

export function Remarks({ remarks }: { remarks: readonly Remark[] }) {
  const refusing = remarks.filter(({ severity }) => severity !== 'warn')
  if (remarks.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t('No problems found.')}
      </Text>
    )
  return (
    <>
      <Named remarks={refusing} colour="red" title={t('It would not be signed')} />
      <Named
        remarks={remarks.filter(({ severity }) => severity === 'warn')}
        colour="yellow"
        title={t('{count, plural, one {One remark} other {# remarks}}', { count: remarks.length - refusing.length })}
      />
    </>
  )
}

function Named({ remarks, colour, title }: { remarks: readonly Remark[]; colour: string; title: string }) {
  if (remarks.length === 0) return null
  return (
    <Alert color={colour} variant="light" title={title}>
      <ul style={{ margin: 0, paddingInlineStart: 18 }}>
        {remarks.map(({ code, message }) => (
          <li key={code + message}>{t(message)}</li>
        ))}
      </ul>
    </Alert>
  )
}
