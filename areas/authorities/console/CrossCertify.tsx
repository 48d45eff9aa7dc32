import { Grid, Group, Stack } from '@mantine/core'
import { useNavigate, useParams } from 'react-router'
import { NumberField, RadioField, SelectField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { PemInput } from '#core/console/kit/PemInput.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { useAuthoritySearch } from '../authority-search.tsx'
import { longestChain } from '../certificate-text.ts'
import { authorities, type AuthorityView } from '../contract.ts'
import { validityUnits, type ValidityUnit } from '../rules.ts'
import { CrossPreview } from './CrossPreview.tsx'
import { NameConstraintFields, type Constraint } from './NameConstraintFields.tsx'
import { authorityPath } from './paths.ts'

type Values = {
  caId: string
  whose: 'outside' | 'here'
  otherCaId?: string | undefined
  other: string
  pathLength: string
  permittedNames: Constraint[]
  excludedNames: Constraint[]
  validityPeriod?: number | undefined
  validityPeriodUnits: ValidityUnit
}

const unitTexts: Record<ValidityUnit, string> = { HOURS: 'Hours', DAYS: 'Days', MONTHS: 'Months', YEARS: 'Years' }

export function CrossCertify() {
  const { id = '' } = useParams()
  const query = useCall(authorities.calls.view, { caId: id })
  return (
    <Page
      title={t('Cross-certify an authority')}
      intro={
        query.data &&
        t('Those who trust {name} will be able to verify what the other authority issues, within the limits below.', {
          name: query.data.friendlyName,
        })
      }
    >
      <Loaded query={query}>{(authority) => <CrossForm authority={authority} />}</Loaded>
    </Page>
  )
}

const draftOf = ({ whose, otherCaId, other, pathLength, validityPeriod, ...values }: Values) => ({
  ...values,
  ...(whose === 'here' ? (otherCaId === undefined ? {} : { otherCaId }) : { other }),
  pathLength: pathLength === 'none' ? ('none' as const) : Number(pathLength),
  ...(validityPeriod === undefined ? {} : { validityPeriod }),
})

function CrossForm({ authority }: { authority: AuthorityView }) {
  const navigate = useNavigate()
  const { id } = authority
  const fits = (row: { id: string; certified: boolean }): boolean => row.id !== id && row.certified
  const others = (useCall(authorities.calls.list, { size: 200 }).data?.rows ?? []).filter(fits)
  const offered = useAuthoritySearch(others, { fits })
  const back = authorityPath(id, 'life')
  const initial: Values = {
    caId: id,
    whose: 'outside',
    other: '',
    pathLength: '0',
    permittedNames: [],
    excludedNames: [],
    validityPeriod: 3,
    validityPeriodUnits: 'YEARS',
  }
  return (
    <Form
      call={authorities.calls.crossCertify}
      initial={initial}
      toInput={draftOf}
      check={({ whose, otherCaId, other }: Values): Record<string, string> =>
        whose === 'here'
          ? otherCaId === undefined
            ? { otherCaId: t('Choose an authority') }
            : {}
          : other.trim() === ''
            ? { other: t('Paste the request or the certificate') }
            : {}
      }
      submit={t('Issue cross-certificate')}
      cancel={{ label: t('Cancel'), to: back }}
      onDone={() => navigate(back)}
    >
      {(form) => (
        <Grid gap="lg">
          <Grid.Col span={{ base: 12, lg: 7 }}>
            <Stack gap="md">
              <Section title={t('The other authority')}>
                <RadioField
                  {...form.field('whose')}
                  label={t('Which one?')}
                  options={[
                    {
                      value: 'outside',
                      label: t('One of somebody else'),
                      hint: t('By its certificate, or by a request (CSR) that proves its key.'),
                    },
                    { value: 'here', label: t('One of this tenancy') },
                  ]}
                />
                {form.values.whose === 'here' ? (
                  <SelectField {...form.field('otherCaId')} label={t('Authority')} required {...offered} />
                ) : (
                  <PemInput
                    {...form.field('other')}
                    label={t('Its certificate or request')}
                    hint={t('One, in PEM. Name, key and key identifier are taken from it; what else it asks for is not.')}
                    required
                    most={longestChain}
                    rows={6}
                    kind="CERTIFICATE"
                    accept=".pem,.crt,.cer,.der,.csr,.p10,.req,.txt"
                  />
                )}
              </Section>
              <Section title={t('Limits')}>
                <SelectField
                  {...form.field('pathLength')}
                  label={t('Authorities below it')}
                  options={[
                    { value: '0', label: t('None: it issues certificates only') },
                    { value: '1', label: t('One level') },
                    { value: '2', label: t('Two levels') },
                    { value: 'none', label: t('Any number of levels') },
                  ]}
                />
                <Group align="flex-start" gap="sm" grow>
                  <NumberField {...form.field('validityPeriod')} label={t('Valid for')} min={1} />
                  <SelectField
                    {...form.field('validityPeriodUnits')}
                    label={t('Unit')}
                    options={validityUnits.map((value) => ({ value, label: t(unitTexts[value]) }))}
                  />
                </Group>
                <NameConstraintFields form={form} />
              </Section>
            </Stack>
          </Grid.Col>
          <Grid.Col span={{ base: 12, lg: 5 }}>
            <CrossPreview draft={draftOf(form.values)} />
          </Grid.Col>
        </Grid>
      )}
    </Form>
  )
}
