import type { AlertWords, WrittenFacts } from './alert-words.ts';

const counter = ({ door, store }: WrittenFacts) => `El contador de la puerta «${door}» (${store})`;
const doorOf = ({ door, store }: WrittenFacts) => `de la puerta «${door}» (${store})`;

const storageProblems: Readonly<Record<string, string>> = {
  full: 'Su tarjeta de memoria está llena.',
  limit: 'Su memoria está llena.',
};

export const es: AlertWords = {
  locale: 'es-ES',
  alert: 'Aviso',
  over: 'Terminado',
  fromTo: (from, to) => `Desde el ${from} hasta el ${to}.`,
  serial: (serial) => `Para su instalador: contador ${serial}`,
  people: { one: 'persona', other: 'personas' },
  kinds: {
    'device-inactive': {
      title: ({ door }) => `el contador de la puerta «${door}» no responde`,
      raised: (facts) => `${counter(facts)} no ha enviado nada desde el ${facts.since}.`,
      advice:
        'Compruebe la corriente y la red. Si tiene corriente, sigue contando y envía las cifras después.',
      cleared: (facts) => `${counter(facts)} vuelve a funcionar.`,
    },
    'beam-blocked': {
      title: ({ door }) => `el contador de la puerta «${door}» tiene la luz tapada`,
      raised: (facts) =>
        `${counter(facts)} tiene la luz tapada desde el ${facts.since}. Allí no se cuenta a nadie.`,
      advice: 'Retire lo que tapa la luz. Si no hay nada, llame a su instalador.',
      cleared: (facts) => `${counter(facts)} ya no tiene la luz tapada.`,
    },
    'beam-flickering': {
      title: ({ door }) => `la luz del contador de la puerta «${door}» parpadea`,
      raised: (facts) =>
        `La luz del contador ${doorOf(facts)} parpadea desde el ${facts.since}. Sus cifras son incorrectas, casi siempre demasiado bajas.`,
      advice: 'Evite que le dé el sol o una lámpara. Si no sirve, llame a su instalador.',
      cleared: (facts) => `La luz del contador ${doorOf(facts)} ya no parpadea.`,
    },
    'capacity-reached': {
      title: () => 'la tienda está llena',
      raised: ({ store, people, number }) =>
        `${store} está llena: ${people('occupancy')} dentro, aforo de ${number('capacity')}.`,
      cleared: ({ store }) => `${store} vuelve a tener sitio.`,
    },
    'data-overdue': {
      title: () => 'hay cifras con retraso',
      raised: ({ store, since }) => `Las cifras de ${store} no están completas: faltan desde el ${since}.`,
      advice: 'Compruebe la corriente y la red de los contadores. Las cifras se corrigen en cuanto llegan.',
      cleared: ({ store }) => `Las cifras de ${store} vuelven a estar completas.`,
    },
    'limits-exceeded': {
      title: ({ door }) => `el contador de la puerta «${door}» cuenta más de lo que cabe por una puerta`,
      raised: (facts) =>
        `${counter(facts)} ha contado desde el ${facts.since} más de lo que cabe por una puerta. Las cifras pueden ser erróneas.`,
      advice: 'Llame a su operador.',
      cleared: (facts) => `${counter(facts)} vuelve a contar como siempre.`,
    },
    'crossings-missing': {
      title: ({ door }) => `faltan cifras de la puerta «${door}»`,
      raised: (facts) =>
        `En las cifras faltan ${facts.people('count')} ${doorOf(facts)}. Aún pueden llegar. Si se cambió la tarjeta de memoria del contador, pregunte a su instalador por la anterior.`,
      cleared: (facts) => `Ya no faltan cifras ${doorOf(facts)}.`,
    },
    'crossings-lost': {
      title: ({ door }) => `se han perdido cifras de la puerta «${door}»`,
      raised: (facts) => `No se ha podido contar a ${facts.people('count')} ${doorOf(facts)}.`,
      advice: 'Quedan sin contar. Ajuste el número en la página si parece incorrecto.',
      cleared: (facts) => `Desde hace un día no se pierde nada más ${doorOf(facts)}.`,
    },
    'cloned-unit': {
      title: ({ door }) => `dos contadores se presentan como «${door}»`,
      raised: ({ door, store }) =>
        `Dos contadores se presentan como «${door}» (${store}), o la tarjeta de memoria del contador es una copia antigua. Algunas cifras se dejan fuera hasta que se comprueben.`,
      advice: 'Llame a su operador.',
      cleared: ({ door, store }) => `Solo un contador se presenta ya como «${door}» (${store}).`,
    },
    'direction-doubtful': {
      title: ({ door }) => `las entradas y salidas de la puerta «${door}» no cuadran`,
      raised: (facts) =>
        `${counter(facts)} quizá cuenta al revés o no cuenta bien una dirección: las entradas y las salidas no cuadran.`,
      advice: 'Compruebe si hay algo en su luz. Si no, llame a su instalador.',
      cleared: (facts) => `Las entradas y salidas ${doorOf(facts)} vuelven a cuadrar.`,
    },
    'disk-low': {
      title: ({ door }) => `el contador de la puerta «${door}» tiene la memoria casi llena`,
      raised: (facts) =>
        `${counter(facts)} tiene la memoria casi llena: quedan ${facts.number('megabytes')} MB libres.`,
      advice: 'Llame a su instalador.',
      cleared: (facts) => `${counter(facts)} vuelve a tener memoria libre.`,
    },
    'version-old': {
      title: ({ door }) => `el contador de la puerta «${door}» necesita una actualización`,
      raised: (facts) =>
        `${counter(facts)} tiene la versión ${facts.text('version')}, anterior a la ${facts.text('expected')}.`,
      advice: 'Llame a su operador.',
      cleared: (facts) => `${counter(facts)} ya no necesita una actualización.`,
    },
    'update-failed': {
      title: ({ door }) => `no se pudo actualizar el contador de la puerta «${door}»`,
      raised: (facts) =>
        `${counter(facts)} no se pudo actualizar a la versión ${facts.text('expected')}. Cuenta con su versión anterior.`,
      advice: 'Llame a su operador.',
      cleared: (facts) => `${counter(facts)} ya no necesita otra versión.`,
    },
    'storage-failing': {
      title: ({ door }) => `el contador de la puerta «${door}» no puede guardar sus cifras`,
      raised: (facts) =>
        `${counter(facts)} no puede guardar sus cifras desde el ${facts.since}. ${storageProblems[facts.text('problem')] ?? 'Su tarjeta de memoria está dañada y hay que cambiarla.'} Aún sin guardar: ${facts.people('held')}.`,
      advice: 'No lo apague. Llame a su instalador.',
      cleared: (facts) => `${counter(facts)} vuelve a guardar sus cifras.`,
    },
    'visitors-while-closed': {
      title: () => 'entró alguien con la tienda cerrada',
      raised: ({ store, since, people }) =>
        `${store} está cerrada. Han entrado desde el ${since}: ${people('people')}.`,
      cleared: ({ store }) => `${store}: desde hace dos horas no entra nadie, o ya está abierta.`,
    },
    'silent-while-open': {
      title: ({ door }) => `nadie pasa por la puerta «${door}»`,
      raised: ({ door, store, since, people }) =>
        `Nadie ha pasado por la puerta «${door}» (${store}) desde el ${since}, aunque la tienda está abierta. Lo habitual en este tiempo: al menos ${people('missed')}.`,
      advice: 'Compruebe si la puerta está abierta y si algo tapa la luz del contador.',
      cleared: ({ door, store }) =>
        `Vuelve a pasar gente por la puerta «${door}» (${store}), o la tienda está cerrada.`,
    },
    'service-unavailable': {
      title: () => 'no se pueden recibir cifras de ninguna tienda',
      raised: ({ since }) =>
        `No se han podido recibir cifras de ninguna tienda desde el ${since}. Los contadores siguen contando y las envían después.`,
      advice: 'Llame a su operador.',
      cleared: () => 'Se vuelven a recibir cifras.',
    },
    flapping: {
      title: ({ again }) => `una y otra vez: ${again}`,
      raised: ({ again }) =>
        `Esto empieza y termina una y otra vez: ${again}. No recibirá más mensajes sobre ello hasta que pase una hora tranquila.`,
      cleared: ({ again }) => `Desde hace una hora no ha vuelto a ocurrir: ${again}.`,
    },
    test: {
      title: () => 'esto es una prueba',
      raised: () => 'Esto es una prueba. Todo está bien.',
      cleared: () => 'La prueba ha terminado.',
    },
  },
};
