// What is asked before a pass gets another end, or counts as lost or stolen.

import { Modal } from '@mantine/core'
import { DateField, RadioField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { passes } from '../contract.ts'
import { dayIn, endOfDay, misplacedLabels, misplacedReasons } from '../rules.ts'

type Props = { pass: { passNumber: string; expirationDate?: string | undefined }; onClose: () => void }

export function ExpiryDialog({ pass: { passNumber, expirationDate }, onClose }: Props) {
  const query = useCall(passes.calls.days, {})
  return (
    <Modal opened onClose={onClose} title={t('Expiry of pass {passNumber}', { passNumber })}>
      <Loaded query={query}>
        {({ today, timeZone }) => (
          <Form
            call={passes.calls.setExpiry}
            initial={{ expirationDate: expirationDate === undefined ? today : dayIn(new Date(expirationDate), timeZone) }}
            toInput={({ expirationDate: day }: { expirationDate: string | undefined }) => ({
              passNumber,
              expirationDate: day === undefined || day === '' ? '' : endOfDay(day, timeZone).toISOString(),
            })}
            submit={t('Change expiry')}
            cancel={{ label: t('Cancel'), onClick: onClose }}
            guard={false}
            onDone={onClose}
          >
            {(form) => (
              <DateField
                {...form.field('expirationDate')}
                label={t('Last day')}
                hint={t('The pass is valid until 23:59:59 of this day.')}
                min={today}
                required
              />
            )}
          </Form>
        )}
      </Loaded>
    </Modal>
  )
}

type Misplaced = { reason: (typeof misplacedReasons)[number] }

export function MisplacedDialog({ pass: { passNumber }, onClose }: Props) {
  return (
    <Modal opened onClose={onClose} title={t('Pass {passNumber} is not there', { passNumber })}>
      <Form
        call={passes.calls.misplace}
        initial={{ reason: 'lost' } as Misplaced}
        toInput={({ reason }: Misplaced) => ({ passNumber, reason })}
        submit={t('Mark as misplaced')}
        cancel={{ label: t('Cancel'), onClick: onClose }}
        guard={false}
        onDone={onClose}
      >
        {(form) => (
          <RadioField
            {...form.field('reason')}
            label={t('What happened')}
            options={misplacedReasons.map((value) => ({ value, label: t(misplacedLabels[value]) }))}
          />
        )}
      </Form>
    </Modal>
  )
}
