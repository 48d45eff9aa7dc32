import { Alert, Badge, Stack, Text } from '@mantine/core'
import { AskForHelp } from '#core/console/kit/AskForHelp.tsx'
import { t } from '#core/console/text.ts'

const severityLabels = { warn: 'Warning', error: 'Error', fatal: 'Fatal' } as const

type RefusalsProps = {
  faults: readonly { code: string; field: string; says: string }[]
  findings: readonly { severity: 'warn' | 'error' | 'fatal'; code: string }[]
}

/** Why nothing would be issued; what lint found, with its severity. */
export function Refusals({ faults, findings }: RefusalsProps) {
  if (faults.length === 0) return null
  return (
    <Alert color="red" variant="light" title={t('This would be refused')}>
      <Stack gap={4}>
        {faults.map(({ code, field, says }) => {
          const severity = findings.find((finding) => finding.code === code)?.severity
          return (
            <Text inherit component="div" key={field + says}>
              {severity !== undefined && (
                <Badge variant="outline" color="red" size="sm" mr={6}>
                  {t(severityLabels[severity])}
                </Badge>
              )}
              {t(says)}
            </Text>
          )
        })}
        <AskForHelp
          refusal={{ title: t('This would be refused'), says: '', fields: faults.map(({ says }) => says), reference: undefined }}
        />
      </Stack>
    </Alert>
  )
}
