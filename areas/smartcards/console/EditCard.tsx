import { useNavigate, useParams } from 'react-router'
import { useMay } from '#core/console/bootstrap.ts'
import { DateField } from '#core/console/kit/DateField.tsx'
import { SelectField, TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { smartcards } from '../contract.ts'

type Values = { label: string; custody: string; nextTemplateId: string | undefined; expires: string }

export function EditCard() {
  const { smartcardID: id = '' } = useParams()
  const navigate = useNavigate()
  const isDesk = useMay()('smartcardManage')
  const query = useCall(smartcards.calls.view, { id })
  const templates = useCall(smartcards.calls.templateNames, {})
  const back = to(smartcards.screens.view, { smartcardId: id })
  return (
    <Page title={query.data === undefined ? t('Edit smartcard') : t('Edit {serial}', { serial: query.data.serial })} narrow>
      <Loaded query={query}>
        {({ label, custody, nextTemplateId, expires, temporary }) => (
          <Form
            call={smartcards.calls.edit}
            initial={{ label, custody, nextTemplateId, expires: expires?.slice(0, 10) ?? '' }}
            toInput={(values: Values) => ({
              id,
              label: values.label,
              custody: values.custody,
              ...(values.nextTemplateId === undefined ? {} : { nextTemplateId: values.nextTemplateId }),
              // The end stays to the second where its day was left as it is.
              ...(values.expires === '' || values.expires === expires?.slice(0, 10) ? {} : { expires: `${values.expires}T00:00:00Z` }),
            })}
            submit={t('Save card')}
            cancel={{ label: t('Cancel'), to: back }}
            onDone={() => navigate(back)}
          >
            {(form) => (
              <>
                <TextField {...form.field('label')} label={t('Label')} />
                <TextField {...form.field('custody')} label={t('Where it is kept')} />
                {isDesk && (
                  <SelectField
                    {...form.field('nextTemplateId')}
                    label={t('Template of the next issue')}
                    hint={t('Left empty it is the template that the card has.')}
                    options={(templates.data?.cardTemplates ?? []).map(({ cardTemplateId, name }) => ({
                      value: cardTemplateId,
                      label: name,
                    }))}
                  />
                )}
                {expires !== undefined && (isDesk || !temporary) && (
                  <DateField {...form.field('expires')} label={t('Expires')} hint={t('It can end earlier, not later.')} />
                )}
              </>
            )}
          </Form>
        )}
      </Loaded>
    </Page>
  )
}
