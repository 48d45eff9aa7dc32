import { Alert } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { t } from '#core/console/text.ts'
import type { RevocationReason } from '#standards/crl/reasons.ts'
import { failureCodes, isFailureCode } from '../rules.ts'
import { textsFor } from './actions.ts'

/** Why what was asked for failed. A code that is not known here is shown as it is. */
export function FailureNote({ code, reason, children }: { code: string; reason: RevocationReason; children?: ReactNode }) {
  return (
    <Alert
      color="red"
      variant="light"
      role="alert"
      icon={<IconAlertTriangle size={18} aria-hidden />}
      title={textsFor({ reason }).failed()}
    >
      {isFailureCode(code) ? t(failureCodes[code]) : code}
      {children}
    </Alert>
  )
}
