import { Alert } from '@mantine/core'
import { WithDates } from '#core/console/kit/DateTime.tsx'
import { t } from '#core/console/text.ts'

const severities = {
  fatal: { word: 'Fatal', color: 'red' },
  error: { word: 'Error', color: 'red' },
  warn: { word: 'Warning', color: 'yellow' },
} as const

/** What lint says, by severity; nothing where it has nothing to say. */
export function Findings({ findings }: { findings: readonly { severity: 'warn' | 'error' | 'fatal'; code: string; message: string }[] }) {
  return (['fatal', 'error', 'warn'] as const).map((severity) => {
    const own = findings.filter((finding) => finding.severity === severity)
    if (own.length === 0) return undefined
    return (
      <Alert
        key={severity}
        color={severities[severity].color}
        variant="light"
        title={t('{severity}: {count, plural, one {one remark} other {# remarks}}', {
          count: own.length,
          severity: t(severities[severity].word),
        })}
      >
        <ul style={{ margin: 0, paddingInlineStart: 18 }}>
          {own.map(({ code, message }) => (
            <li key={code + message}>
              <WithDates text={t(message)} />
            </li>
          ))}
        </ul>
      </Alert>
    )
  })
}
