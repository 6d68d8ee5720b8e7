// The people inside each store now, the events of a day, and the devices that have been silent for a day.
//   mcs -r:System.Net.Http -r:System.Xml.Linq Counts.cs
//   BASE=http://127.0.0.1:8080/public/Service.asmx COMPANY=Acme TOKEN=… KEY=… mono Counts.exe 2026-11-20
// It asks for XML, which every .NET reads without another library; proxies made from ?WSDL do it all by themselves.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Net.Http;
using System.Threading.Tasks;
using System.Xml.Linq;

static class Counts
{
    static readonly HttpClient client = new HttpClient();

    static string Setting(string name) { return Environment.GetEnvironmentVariable(name); }

    /// <summary>Calls an operation with a form and gives its records; throws the code and detail of an error.</summary>
    static async Task<IEnumerable<XElement>> Call(string operation, Dictionary<string, string> fields, string key = null)
    {
        fields["CompanyName"] = Setting("COMPANY");
        var request = new HttpRequestMessage(HttpMethod.Post, Setting("BASE") + "/" + operation);
        request.Content = new FormUrlEncodedContent(fields);
        request.Headers.Add("Accept", "text/xml");
        if (key != null) request.Headers.TryAddWithoutValidation("Authorization", key);
        var answer = await client.SendAsync(request);
        var root = XDocument.Parse(await answer.Content.ReadAsStringAsync()).Root;
        if (answer.IsSuccessStatusCode) return root.Elements();
        throw new Exception(Field(root, "code") + ": " + Field(root, "detail"));
    }

    static string Field(XElement record, string name)
    {
        return record.Elements().First(element => element.Name.LocalName == name).Value;
    }

    static async Task Run(string day)
    {
        var token = Setting("TOKEN");
        var today = new Dictionary<string, string> { { "Token", token } };
        foreach (var store in await Call("GetAllCountsByCompanyForTodayPublic", today))
            Console.WriteLine("now: {0} in {1}", Field(store, "Amount"), Field(store, "StoreName"));

        var range = new Dictionary<string, string> { { "Token", token }, { "DateFrom", day }, { "DateTo", day } };
        foreach (var e in await Call("GetCountsByCompanyAndDatePublic", range))
            Console.WriteLine("{0}: {1} in {2}", Field(e, "DateTime"), Field(e, "Amount"), Field(e, "StoreName"));

        var hours = new Dictionary<string, string> { { "InactiveForHours", "24" } };
        foreach (var device in await Call("GetLifeSignalInactive", hours, Setting("KEY")))
            Console.WriteLine("silent: {0} in {1} since {2}",
                Field(device, "SerialNumber"), Field(device, "ShopName"), Field(device, "LastActivity"));
    }

    static int Main(string[] args)
    {
        try { Run(args[0]).GetAwaiter().GetResult(); return 0; }
        catch (Exception error) { Console.Error.WriteLine(error.Message); return 1; }
    }
}
