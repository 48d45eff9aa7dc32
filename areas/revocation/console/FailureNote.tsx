import { Alert } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { t } from '#core/console/text.ts'
import { failureCodes, isFailureCode } from '../rules.ts'

/** Why a revocation failed. A code that is not known here is shown as it is. */
export function FailureNote({ code, children }: { code: string; children?: ReactNode }) {
  return (
    <Alert color="red" variant="light" role="alert" icon={<IconAlertTriangle size={18} aria-hidden />} title={t('The certificate was not revoked')}>
      {isFailureCode(code) ? t(failureCodes[code]) : code}
      {children}
    </Alert>
  )
}
