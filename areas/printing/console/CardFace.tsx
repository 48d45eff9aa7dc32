// The designer of a face: elements on both sides in millimetres, and how the saved design looks for a person.

import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useParams } from 'react-router'
import { useMay } from '#core/console/bootstrap.ts'
import { NumberField, SelectField, TextField } from '#core/console/kit/fields.tsx'
import { Form, type FormKit } from '#core/console/kit/Form.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { printing } from '../contract.ts'
import { cardSize, elementKinds, kindLabels, mostElements, nameOnCard, placeholders } from '../rules.ts'

type Face = OutputOf<typeof printing.calls.face>
type Values = Pick<Face, 'front' | 'back'>

export function CardFace() {
  const { id = '' } = useParams()
  const query = useCall(printing.calls.face, { cardTemplateId: id })
  return (
    <Page title={t('Face of a card')}>
      <Loaded query={query}>{(face) => <Designer key={face.version} id={id} face={face} />}</Loaded>
    </Page>
  )
}

function Designer({ id, face }: { id: string; face: Face }) {
  const { front, back, version, name } = face
  return (
    <Stack>
      <Text c="dimmed">{t('Template of cards: {name}', { name })}</Text>
      {version > 0 && <Preview templateId={id} />}
      <Form
        call={printing.calls.setFace}
        initial={{ front, back } as Values}
        toInput={(values: Values) => ({ ...values, cardTemplateId: id, ...(version === 0 ? {} : { version }) })}
        submit={t('Save face')}
        onDone={() => {}}
      >
        {(form) => (
          <>
            <SideFields form={form} side="front" title={t('Front')} />
            <SideFields form={form} side="back" title={t('Back')} />
          </>
        )}
      </Form>
    </Stack>
  )
}

function SideFields({ form, side, title }: { form: FormKit<Values>; side: 'front' | 'back'; title: string }) {
  const { elements } = form.values[side]
  const set = (next: Values['front']['elements']) => form.set(`${side}.elements`, next)
  return (
    <Section
      title={title}
      intro={t('In millimetres; a card is 85.6 wide and 53.98 high. A text may hold {names}.', {
        names: placeholders.map((one) => `{${one}}`).join(', '),
      })}
    >
      <TextField {...form.field(`${side}.background`)} label={t('Background of {side}', { side: title })} />
      {elements.map((_, at) => {
        const no = at + 1
        const of = (label: string) => t('{label}, {side} {no, number}', { label, side: title, no })
        return (
          <SimpleGrid key={at} cols={{ base: 2, sm: 4 }}>
            <SelectField
              {...form.field(`${side}.elements.${at}.kind`)}
              label={of(t('Kind'))}
              options={elementKinds.map((value) => ({ value, label: t(kindLabels[value]) }))}
              required
            />
            <TextField {...form.field(`${side}.elements.${at}.text`)} label={of(t('Text'))} />
            <TextField {...form.field(`${side}.elements.${at}.colour`)} label={of(t('Colour'))} />
            <Group align="end">
              <Button variant="default" onClick={() => set(elements.filter((__, other) => other !== at))}>
                {of(t('Remove'))}
              </Button>
            </Group>
            <NumberField {...form.field(`${side}.elements.${at}.x`)} label={of(t('From the left'))} min={0} max={cardSize.width} />
            <NumberField {...form.field(`${side}.elements.${at}.y`)} label={of(t('From the top'))} min={0} max={cardSize.height} />
            <NumberField {...form.field(`${side}.elements.${at}.width`)} label={of(t('Width'))} min={0} max={cardSize.width} />
            <NumberField {...form.field(`${side}.elements.${at}.height`)} label={of(t('Height'))} min={0} max={cardSize.height} />
          </SimpleGrid>
        )
      })}
      <Group>
        <Button
          variant="default"
          disabled={elements.length >= mostElements}
          onClick={() =>
            set([
              ...elements,
              { kind: 'text', x: 5, y: 5 + elements.length * 8, width: 60, height: 6, text: nameOnCard, colour: '#000000' },
            ])
          }
        >
          {t('Add an element to {side}', { side: title })}
        </Button>
      </Group>
    </Section>
  )
}

const example = {
  givenName: 'Ada',
  familyName: 'Lovelace',
  userName: 'ada.lovelace',
  emailAddress: 'ada@example.org',
  title: 'Engineer',
  orgOid: 'Depot',
}

function Preview({ templateId }: { templateId: string }) {
  const mayPrint = useMay()('smartcardBatchFilesPrint')
  const [shown, setShown] = useState<{ frontCompressed: string; backCompressed: string }>()
  const draw = useSend(printing.calls.layoutOfData, { quiet: true })
  if (!mayPrint) return null
  return (
    <Section title={t('Preview')} intro={t('As it is saved, for an invented person.')}>
      <FaultAlert fault={draw.fault} />
      <Group>
        <Button
          variant="default"
          loading={draw.pending}
          onClick={() =>
            void draw
              .run({ userData: example, templateId })
              .then(setShown)
              .catch(() => {})
          }
        >
          {t('Show preview')}
        </Button>
      </Group>
      {shown !== undefined && (
        <Group>
          <img src={`data:image/jpeg;base64,${shown.frontCompressed}`} alt={t('Front')} width={340} style={{ maxWidth: '100%' }} />
          <img src={`data:image/jpeg;base64,${shown.backCompressed}`} alt={t('Back')} width={340} style={{ maxWidth: '100%' }} />
        </Group>
      )}
    </Section>
  )
}
