import type { Text } from './en.ts';
import { counted, isolated, number, signedPercent } from './locale.ts';

const storesOf = (n: number) => counted(n, { one: 'tienda', other: 'tiendas' });
const people = { one: 'persona', other: 'personas' };
const way = { in: 'Entrada', out: 'Salida' };

export const stores = {
  nothing: 'Todavía no hay tiendas.',
  stores: {
    asOf: (ago) => `Estas cifras son de ${ago}. Se están cargando las nuevas.`,
    inside: 'dentro',
    byNow: 'a esta hora',
    compared: (visitors, n) =>
      `${visitors} sin ${counted(n, { one: 'tienda más reciente', other: 'tiendas más recientes' })}`,
    zones: 'Las tiendas están en varias zonas horarias.',
    otherDays: (days, n) =>
      `${days} en cada tienda; ${storesOf(n)} ya ${n === 1 ? 'tiene' : 'tienen'} un día posterior`,
    recorded: (n, days) => `contado en ${number(n)} de ${number(days)} días`,
    incomplete: 'Faltan cifras',
    noData: 'Aún no hay datos',
    incompleteStores: (n) => `las cifras de ${storesOf(n)} están incompletas`,
    closedNow: (n) => `Cerradas ahora: ${storesOf(n)}`,
    trouble: (n) => `Requieren atención: ${storesOf(n)}`,
    search: 'Buscar tiendas',
    group: 'Grupo',
    allGroups: 'Todos los grupos',
  },
  lastDay: {
    came: (n, stores, day) =>
      `${counted(n, { one: 'visitante vino', other: 'visitantes vinieron' })}${stores === undefined ? '' : ` a ${storesOf(stores)}`} el ${day},`,
    normal: (weekday) => `lo normal para un ${weekday}`,
    more: (weekday) => `más de lo normal para un ${weekday}`,
    fewer: (weekday) => `menos de lo normal para un ${weekday}`,
    range: (low, high) => `de ${low} a ${high}`,
    unusual: (name, n, range) => `${name} se aparta más: ${n}; lo normal es ${range}.`,
    noneUnusual: 'Ninguna tienda está fuera de lo normal para ella.',
    complete: 'Los datos de todas las puertas están completos.',
    leftOut: (n) =>
      `Sus puertas están completas; sin contar ${storesOf(n)}, con datos incompletos o demasiado recientes para comparar.`,
    match: 'Salieron tantas personas como entraron.',
    error: (part) => `El número puede tener un error de cerca del ${part}.`,
  },
  devices: {
    search: 'Buscar contadores',
    online: 'Conectado',
    offline: 'Desconectado',
    never: 'Nunca conectado',
    seen: (time) => `última señal: ${time}`,
    follow: (n) => `${counted(n, { one: 'persona', other: 'personas' })} por enviar`,
    serial: (serial) => `Número de serie ${serial}`,
    version: (version) => `Versión ${version}`,
    trouble: (n) => `Requieren atención: ${number(n)}`,
    well: (n) => `Funcionan bien: ${number(n)}`,
    none: 'Todavía no hay contadores.',
  },
  wall: {
    fullScreen: 'Pantalla completa',
    leave: 'Volver',
    lost: 'Sin contacto',
    asOf: (time) => `última actualización a las ${time}`,
    wait: 'Espere, por favor',
    comeIn: 'Pase, por favor',
    previous: 'Página anterior',
    next: 'Página siguiente',
    pause: 'Pausa',
    page: (n, of) => `Página ${number(n)} de ${number(of)}`,
  },
  audit: {
    link: 'Comprobar',
    heading: (door) => `Comprobar ${isolated(door)}`,
    unknown: 'Esta puerta no existe o usted no puede verla.',
    atTheDoor: '¿Con qué precisión cuenta esta puerta?',
    explain:
      'Póngase junto a la puerta y toque por cada persona que pase. Tras unas 200 personas sabrá con qué precisión cuenta el contador.',
    hints: [
      'Toque una vez por persona, también por niños y personal.',
      'No toque si alguien se da la vuelta en la puerta.',
      'Sus toques se conservan en este dispositivo hasta que se guarden, también sin conexión.',
    ],
    begin: 'Empezar',
    unfinished: (n) => `Hay una comprobación con ${counted(n, people)} sin terminar.`,
    way,
    nobody: 'Nadie todavía',
    last: (one, time) => `${way[one]} a las ${time}`,
    finish: 'Terminar',
    full: (most) => `Una comprobación tiene como máximo ${number(most)} personas. Termínela.`,
    notKept:
      'Este navegador no puede conservar sus toques. No cierre ni recargue la página antes de terminar.',
    seen: (entries, exits) => `Ha visto entrar a ${counted(entries, people)} y salir a ${number(exits)}.`,
    unsent:
      'Todavía no se ha guardado. Sus toques se conservan en este dispositivo y la página sigue intentándolo.',
    refused: (why) => `No se puede guardar: ${why}`,
    discard: 'Descartar',
    discardSure: '¿Descartar todos los toques de esta comprobación?',
    pending:
      'Guardado. El resultado llegará cuando el contador lo haya enviado todo, normalmente en menos de dos minutos.',
    result: (error, { low, high }) =>
      `${signedPercent(error)}. El error del contador está muy probablemente entre ${signedPercent(low)} y ${signedPercent(high)}.`,
    counts: (one, observed, found) => `${way[one]}: ${number(observed)} vistas, ${number(found)} contadas`,
    tooFew: (n, least) => `muy pocas personas para juzgar (${number(n)} de al menos ${number(least)})`,
    nobodySeen: (one) => `${way[one]}: no se vio a nadie.`,
    meaning:
      'En 95 de 100 comprobaciones el error verdadero está en este intervalo. Cuantas más personas observe, menor será el intervalo.',
    removed:
      'No hay resultado: las cifras del contador de ese momento se borraron al cumplirse el plazo acordado.',
    waiting: (n) => `${counted(n, people)} vistas. El contador aún no lo ha enviado todo.`,
    earlier: 'Comprobaciones anteriores',
    never: 'Nadie ha comprobado esta puerta todavía.',
    upload: {
      heading: 'Subir una lista en su lugar',
      explain:
        'Un archivo CSV con una línea por persona: la hora, como 2026-11-20 10:15:30, una coma y después in u out.',
      file: 'Archivo',
      button: 'Subir',
      line: (n, value) => `La línea ${number(n)} no se puede usar: ${value}`,
    },
    checked: (day, by) => `Comprobado el ${day} por ${isolated(by)}`,
    error: (one, error, { low, high }) =>
      `${way[one]} ${signedPercent(error)} (de ${signedPercent(low)} a ${signedPercent(high)})`,
    unchecked: 'Todavía sin comprobar',
  },
} satisfies Partial<Text>;
