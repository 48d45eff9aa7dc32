// A template that waits for approval makes ACME clients give up. Whoever may change templates gets a copy that does not wait, with one press.

import { Alert, Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { templates } from '#areas/templates/contract.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { changed } from '#core/console/queries.ts'
import { send } from '#core/console/send.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import type { acme } from '../contract.ts'

type Choice = OutputOf<typeof acme.calls.choices>['templates'][number]

export function WithoutApprovals({ chosen, onMade }: { chosen: Choice | undefined; onMade: (templateId: string) => void }) {
  const may = useMay()
  const [busy, setBusy] = useState(false)
  if (chosen === undefined || chosen.approvals === 0) return null
  const copy = async (): Promise<void> => {
    setBusy(true)
    try {
      const {
        templateId: _,
        version: __,
        caName: ___,
        updatedAt: ____,
        ...draft
      } = await send(templates.calls.get, {
        templateId: chosen.templateId,
      })
      const { templateId } = await send(templates.calls.add, {
        ...draft,
        templateName: `${draft.templateName}ACME`,
        displayName: `${chosen.name} (ACME)`,
        issueApprovers: 0,
      })
      changed('acme', 'templates')
      onMade(templateId)
    } catch (error) {
      toastFault(error, t('The template was not added'))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Alert color="yellow" title={t('Clients of this template wait')}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          {t(
            'Most ACME clients give up before somebody agrees. Each name is proven by a challenge, so that a template for ACME can do without approval.',
          )}
        </Text>
        {may(templates.calls.add.needs) && (
          <Button variant="default" loading={busy} onClick={() => void copy()}>
            {t('Make a copy without approval')}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}
