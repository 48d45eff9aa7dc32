// What is said where certificates of a card wait: who must agree, where that is done, and how it goes on.

import { Alert, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { certificates } from '#areas/certificates/contract.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { TextLink } from '#core/console/kit/links.tsx'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'

export function WaitsForApproval({ title, children }: { title: string; children?: ReactNode }) {
  const may = useMay()
  const { approvals, mine } = certificates.screens
  return (
    <Alert color="blue" title={title}>
      <Stack gap="xs" align="flex-start">
        <Text inherit>
          {t('Somebody else who may approve certificates must agree first. The card keeps what is done, and goes on here afterwards.')}
        </Text>
        <TextLink to={may(approvals.needs) ? to(approvals, {}, { tab: 'all' }) : to(mine)}>{t('Requests & approvals')}</TextLink>
        {children}
      </Stack>
    </Alert>
  )
}
